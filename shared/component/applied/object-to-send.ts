// Builds the object to send for a dependent: its manifest with our label, annotations, and for some kinds our finalizer.
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Dependent } from '../declared/dependent.ts'
import { digestKey, type Owner, ownerKey } from '../declared/owner.ts'
import type { EngineSettings } from '../settings.ts'
import type { EngineInput } from '../world.ts'

export const objectToSend = (dependent: Dependent, { settings, owner }: EngineInput): KubeObject =>
  objectToSendFor(dependent, settings, owner)

const objectToSendFor = remembered((dependent: Dependent, settings: EngineSettings, owner: Owner): KubeObject => {
  const { metadata } = dependent.object
  const key = ownerKey(settings.reconcilerName)
  const finalizers = [
    ...(metadata.finalizers ?? []),
    ...(isGuarded(dependent, { settings }) ? [settings.finalizer] : []),
  ]
  return {
    ...dependent.object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [key]: owner.hash },
      annotations: {
        ...metadata.annotations,
        [key]: owner.id,
        [digestKey(settings.reconcilerName)]: dependent.digest,
      },
      ...(finalizers.length > 0 && { finalizers }),
    },
  }
})

/** CRDs and APIServices get our finalizer, so that the API server does not remove them while instances exist. */
export const isGuarded = (
  { managedTypes }: Pick<Dependent, 'managedTypes'>,
  { settings }: Pick<EngineInput, 'settings'>,
): boolean => settings.hasCrdFinalizers && managedTypes.length > 0
