// Rewrites the objects that the virtual garden stores encrypted. A label on each object names the key that encrypts the object. Setting the
// label makes the API server store the object again with its current key. A call sets at most 500 labels. The next call finds the objects
// whose label still differs.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { Reading } from '../../../../shared/core/decisions/reading.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { RotationWork } from './rotation-work.ts'
import { virtualGardenCluster } from './virtual-kinds.ts'

const keyNameLabel = `${prefixes.credentials}/key-name`
const mostWrites = 500

/** `objects`: metadata of at least the objects to rewrite. `keyName`: the Secret that the label must name. Absent: the label is removed. */
export type EncryptedKind = {
  readonly plural: string
  /** The read fails if the API server does not serve the kind. The rotation then waits until the API server serves the kind. */
  readonly objects: Reading<readonly KubeObject[]>
  readonly keyName?: string
}

export type Rewriting = RotationWork & {
  /** Number of objects to rewrite. undefined: not all kinds could be read. */
  readonly left: number | undefined
}

export const unwrittenSelector = (keyName: string | undefined): string =>
  keyName === undefined ? keyNameLabel : `${keyNameLabel}!=${keyName}`

export const rewriting = (kinds: readonly EncryptedKind[]): Rewriting => {
  const failed = kinds.flatMap(({ plural, objects }) => ('failed' in objects ? [`${plural}: ${objects.failed}`] : []))
  const steps = kinds.flatMap(kind => labelSteps(kind))
  const count =
    steps.length > 0
      ? [`${steps.length} encrypted objects: are not encrypted with the key of this rotation phase yet`]
      : []
  const left = failed.length > 0 ? undefined : steps.length
  return { steps: steps.slice(0, mostWrites), waits: [...count, ...failed], left }
}

const labelSteps = ({ objects, keyName }: EncryptedKind): readonly Step[] =>
  'failed' in objects
    ? []
    : objects.read
        .filter(({ metadata }) => metadata.labels?.[keyNameLabel] !== keyName)
        .map(target => ({
          do: 'patch',
          target,
          merge: { metadata: { labels: { [keyNameLabel]: keyName ?? null } } },
          on: virtualGardenCluster,
          isConflictPassing: true,
          isConfidential: true,
        }))
