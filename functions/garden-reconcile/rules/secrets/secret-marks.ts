// What is remembered of a key is written on its Secret, where it lives as long as the key does: no status that is lost or edited, and no
// Deployment that is made anew, takes it away. Keys say of each other which one followed which, and when nothing needs the former one.
//
//   markedName(secret, 'replaces') // 'ca-3b1f0a9c': nothing needs this one any more
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'

/**
 * Its value is the name of another Secret of the config. `follows`: it was made to replace that one; `followed-by`: the same, said by that
 * one; `replaces`: all that was made with that one has been renewed.
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
