// Names in the log what nobody restarts, as statuses have room for few.
import type { Log } from '../../../../shared/core/log.ts'
import { keyText } from '../../../../shared/core/object.ts'
import type { StuckOwner } from '../../rules/restarts/survey.ts'

/** There may be a hundred thousand, and longer lines are cut by whoever collects them. */
const namedPerLine = 50

/** All of them, and why. */
export const logStuck = (stuck: readonly StuckOwner[], log: Log, message: string): void => {
  const named = stuck.map(({ owner, why }) => ({ workload: keyText(owner.key), why }))
  for (let at = 0; at < named.length; at += namedPerLine)
    log.warn({ workloads: named.slice(at, at + namedPerLine) }, message)
}
