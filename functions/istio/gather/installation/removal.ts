// Reads what is left of an installation that is being removed.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { errorText } from '../../../../shared/core/text/error-text.ts'
import type { Reads } from '../../../../shared/kube/client-types.ts'
import { ConnectionError, isTrouble } from '../../../../shared/kube/errors.ts'
import { meshNamespaceRef } from '../../desired/installation/mesh-namespace.ts'
import { priorityClassRef } from '../../desired/installation/priority-class.ts'
import { installedByUsLabel } from '../../rules/installation/found-objects.ts'
import type { RemovalFacts } from '../../world.ts'
import type { ReaderInput } from '../reader-input.ts'
import { engineWorld } from './engine.ts'
import { objectsToRemove } from './installed-objects.ts'

/** Renders nothing, so that charts which cannot be pulled do not keep Istio from being removed. */
export const readRemoval = async (input: ReaderInput): Promise<RemovalFacts> => {
  const { reads } = input.context
  try {
    const found = await Promise.all([objectsToRemove(reads), readOwn(reads)])
    return { dependents: { read: await engineWorld(input, { seen: found.flat() }) } }
  } catch (error) {
    if (error instanceof ConnectionError || isTrouble(error)) throw error
    return { dependents: { failed: errorText(error) } }
  }
}

/** PriorityClass and namespace: they come from no chart, and are removed only if we made them. */
const readOwn = async (reads: Pick<Reads, 'get'>): Promise<KubeObject[]> => {
  const found = await Promise.all([priorityClassRef, meshNamespaceRef].map(ref => reads.get(ref)))
  return found.filter(object => object !== undefined).filter(isMadeByUs)
}

const isMadeByUs = ({ metadata }: KubeObject): boolean => metadata.labels?.[installedByUsLabel] !== undefined
