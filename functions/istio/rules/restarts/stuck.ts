// How people are told of workloads whose sidecars nobody could restart.
import { type Key, keyText } from '../../../../shared/core/object.ts'

const namedMost = 5

/** `ns/a, ns/b` sorted, each once; beyond five the others are counted. */
export const workloadsText = (keys: readonly Key[]): string => {
  const names = [...new Set(keys.map(keyText))].sort()
  const others = names.length - namedMost
  const named = names.slice(0, namedMost).join(', ')
  return others > 0 ? `${named} and ${others} additional workload(s)` : named
}
