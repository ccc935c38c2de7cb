// How workloads whose sidecars could not be restarted are named in messages.
import { type Key, keyText } from '../../../../shared/core/objects/object.ts'
import { listText } from '../../../../shared/core/text/text.ts'

const namedMost = 5

/** `ns/a, ns/b`: sorted, each once, five at most; the others are counted. */
export const workloadsText = (keys: readonly Key[]): string => {
  const names = [...new Set(keys.map(keyText))].sort()
  return listText(names, { most: namedMost, rest: others => ` and ${others} additional workload(s)` })
}
