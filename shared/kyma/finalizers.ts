// The finalizers of a Manifest: our finalizers, which Espalier removes, and finalizers of other programs, for which a deletion waits.
import { kymaNames } from '../api/kyma/names.ts'
import type { KubeObject } from '../core/objects/object.ts'

const { finalizers } = kymaNames

/** Our finalizers on a Manifest without a default object. They keep the Manifest until its module is gone. */
export const moduleFinalizers: readonly string[] = [finalizers.manifest, finalizers.labelRemoval]

/** All our possible finalizers of a Manifest. */
export const manifestFinalizers: readonly string[] = [...moduleFinalizers, finalizers.defaultResource]

export const ownFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => manifestFinalizers.includes(name))

export const othersFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => !manifestFinalizers.includes(name))

/** The message when our work is done and only finalizers of other programs remain. */
export const waitingForFinalizers = (names: readonly string[]): string =>
  `waiting as other finalizers are present: [${names.join(' ')}]`
