// Marks are annotations with facts about a key. They are on the key's Secret, so they exist as long as the key, even if the status is lost
// or edited or the Deployment is replaced. Marks record which key followed which key, and when the former key is no longer needed.
//
//   markedName(secret, 'replaces') // 'ca-3b1f0a9c': nothing needs this one any more
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'

/**
 * The value is the name of another Secret of the config. `follows`: this Secret was created to replace the other Secret. `followed-by`: the
 * other Secret was created to replace this Secret. `replaces`: everything that was made with the other Secret has been renewed.
 */
type SuccessionMark = 'follows' | 'followed-by' | 'replaces'

export const markedName = (secret: KubeObject | undefined, mark: SuccessionMark): string | undefined =>
  secret?.metadata.annotations?.[`${prefixes.credentials}/${mark}`]

export const successionMark = (mark: SuccessionMark, name: string): Record<string, string> => ({
  [`${prefixes.credentials}/${mark}`]: name,
})

/** Sets these annotations. An annotation with value null is removed. */
export const annotated = (target: KubeObject, annotations: Readonly<Record<string, string | null>>): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { annotations } },
  isConflictPassing: true,
  isConfidential: true,
})
