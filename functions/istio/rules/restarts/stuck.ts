// How people are told of workloads whose sidecars nobody could restart.

import { type Key, keyText } from '../../../../shared/core/object.ts'
import { listText } from '../../../../shared/core/text.ts'

const namedMost = 5

/** `ns/a, ns/b` sorted, each once; beyond five the others are counted. */
export const workloadsText = (keys: readonly Key[]): string => {
  const names = [...new Set(keys.map(keyText))].sort()
  return listText(names, { most: namedMost, rest: others => ` and ${others} additional workload(s)` })
}
