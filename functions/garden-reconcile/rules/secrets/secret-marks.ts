// Facts about a key are annotations of its Secret, so they exist as long as the key. A lost or edited status, or a new Deployment, does not
// lose them. Keys record which key followed which, and when nothing needs the former one.
//
//   markedName(secret, 'replaces') // 'ca-3b1f0a9c': nothing needs this one any more
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'

/**
 * The value is the name of another Secret of the config. `follows`: this Secret was created to replace the other one. `followed-by`: the
 * other one was created to replace this Secret. `replaces`: everything that was made with the other one has been renewed.
 */
type SuccessionMark = 'follows' | 'followed-by' | 'replaces'

export const markedName = (secret: KubeObject | undefined, mark: SuccessionMark): string | undefined =>
  secret?.metadata.annotations?.[`${prefixes.credentials}/${mark}`]

export const successionMark = (mark: SuccessionMark, name: string): Record<string, string> => ({
  [`${prefixes.credentials}/${mark}`]: name,
})

/** Sets these annotations, and removes those that are null. */
export const annotated = (target: KubeObject, annotations: Readonly<Record<string, string | null>>): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { annotations } },
  isConflictPassing: true,
  isConfidential: true,
})
