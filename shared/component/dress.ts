// What the engine writes on every dependent besides its manifest: whose it is, and which digest was written.
import type { KubeObject } from '../core/object.ts'
import type { Dependent } from './dependent.ts'
import { digestKey, ownerKey } from './owner.ts'
import type { Question } from './world.ts'

/** The object as it is sent. */
export const dressed = (dependent: Dependent, question: Question): KubeObject => {
  const { settings, owner } = question
  const { metadata } = dependent.object
  const key = ownerKey(settings.reconcilerName)
  const finalizers = [...(metadata.finalizers ?? []), ...(isGuarded(dependent, question) ? [settings.finalizer] : [])]
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
}

/** Objects that others depend on carry our finalizer, so that nobody takes them away with instances left. */
export const isGuarded = ({ managedTypes }: Pick<Dependent, 'managedTypes'>, { settings }: Question): boolean =>
  settings.hasCrdFinalizers && managedTypes.length > 0
