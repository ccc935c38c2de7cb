// What the engine writes on every dependent besides its manifest: whose it is, and which digest was written.
import type { KubeObject } from '../../core/object.ts'
import { remembered } from '../../core/remembered.ts'
import type { Dependent } from '../declared/dependent.ts'
import { digestKey, type Owner, ownerKey } from '../declared/owner.ts'
import type { EngineSettings } from '../settings.ts'
import type { EngineInput } from '../world.ts'

/** The object as it is sent. */
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

/** Objects that others depend on carry our finalizer, so that nobody takes them away with instances left. */
export const isGuarded = (
  { managedTypes }: Pick<Dependent, 'managedTypes'>,
  { settings }: Pick<EngineInput, 'settings'>,
): boolean => settings.hasCrdFinalizers && managedTypes.length > 0
