// The finalizers of Kyma's objects: those that we take off ourselves, and those of others, which a deletion waits for.
import { kymaNames } from '../api/kyma/names.ts'
import type { KubeObject } from '../core/objects/object.ts'

const { finalizers } = kymaNames

/** Those that hold a Manifest without a default object until its module is gone. */
export const moduleFinalizers: readonly string[] = [finalizers.manifest, finalizers.labelRemoval]

/** All that a Manifest may have of us. */
export const manifestFinalizers: readonly string[] = [...moduleFinalizers, finalizers.defaultResource]

export const ownFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => manifestFinalizers.includes(name))

/** Those of a Manifest that are not ours. */
export const othersFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => !manifestFinalizers.includes(name))

/** All own work is done. */
export const waitingForFinalizers = (names: readonly string[]): string =>
  `waiting as other finalizers are present: [${names.join(' ')}]`
