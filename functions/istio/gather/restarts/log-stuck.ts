// Logs all workloads that cannot be restarted: a status has room for few names.
import type { Log } from '../../../../shared/core/log.ts'
import { keyText } from '../../../../shared/core/objects/object.ts'
import type { StuckOwner } from '../../rules/restarts/pod-survey.ts'

/** How many names a line of the log has: there may be a hundred thousand, and log collectors cut longer lines. */
const namedPerLine = 50

/** Names each owner, with the reason. */
export const logStuck = (stuck: readonly StuckOwner[], log: Log, message: string): void => {
  const named = stuck.map(({ owner, why }) => ({ workload: keyText(owner.key), why }))
  for (let at = 0; at < named.length; at += namedPerLine)
    log.warn({ workloads: named.slice(at, at + namedPerLine) }, message)
}
