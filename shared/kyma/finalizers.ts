// The finalizers of a Manifest: ours, which Espalier removes, and those of others, for which a deletion waits.
import { kymaNames } from '../api/kyma/names.ts'
import type { KubeObject } from '../core/objects/object.ts'

const { finalizers } = kymaNames

/** Our finalizers on a Manifest without a default object. They hold it until its module is gone. */
export const moduleFinalizers: readonly string[] = [finalizers.manifest, finalizers.labelRemoval]

/** All our finalizers that a Manifest may have. */
export const manifestFinalizers: readonly string[] = [...moduleFinalizers, finalizers.defaultResource]

export const ownFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => manifestFinalizers.includes(name))

export const othersFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => !manifestFinalizers.includes(name))

/** Said when all our work is done and only finalizers of others are left. */
export const waitingForFinalizers = (names: readonly string[]): string =>
  `waiting as other finalizers are present: [${names.join(' ')}]`
