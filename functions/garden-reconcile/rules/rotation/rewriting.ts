// Rewrites what the virtual garden stores encrypted: a label on each object names the key that it was written with, and setting the label
// is what writes it. A call writes a bounded number of them; the label tells the next call which are left.
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { Step } from '../../../../shared/core/plan.ts'
import type { Reading } from '../../../../shared/core/reading.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { RotationWork } from './rotation-work.ts'
import { virtualGardenCluster } from './virtual-kinds.ts'

const keyNameLabel = `${prefixes.credentials}/key-name`
const mostWrites = 500

/** Objects of one kind, without contents, at least all that are to be written, and the key's Secret that they are to be written with; without one the label goes. */
export type EncryptedKind = {
  readonly plural: string
  /** A kind that is not served is a failed reading: it is waited for. */
  readonly objects: Reading<readonly KubeObject[]>
  readonly keyName?: string
}

export type Rewriting = RotationWork & {
  /** Objects that are to be written; undefined: not all kinds could be read. */
  readonly left: number | undefined
}

/** Selects the objects of a kind that are to be written. */
export const unwrittenSelector = (keyName: string | undefined): string =>
  keyName === undefined ? keyNameLabel : `${keyNameLabel}!=${keyName}`

export const rewriting = (kinds: readonly EncryptedKind[]): Rewriting => {
  const failed = kinds.flatMap(({ plural, objects }) => ('failed' in objects ? [`${plural}: ${objects.failed}`] : []))
  const steps = kinds.flatMap(kind => labelSteps(kind))
  const count =
    steps.length > 0 ? [`${steps.length} encrypted objects: are not written with the key of this phase yet`] : []
  const left = failed.length > 0 ? undefined : steps.length
  return { steps: steps.slice(0, mostWrites), waits: [...count, ...failed], left }
}

const labelSteps = ({ objects, keyName }: EncryptedKind): readonly Step[] =>
  'failed' in objects
    ? []
    : objects.read
        .filter(({ metadata }) => metadata.labels?.[keyNameLabel] !== keyName)
        .map(target => ({
          ...{ do: 'patch', target, merge: { metadata: { labels: { [keyNameLabel]: keyName ?? null } } } },
          ...{ on: virtualGardenCluster, isConflictPassing: true, isConfidential: true },
        }))
