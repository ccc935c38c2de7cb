// Who may hand keys to the relay, in the host's words: the relay itself knows nothing of tokens.
import { randomUUID } from 'node:crypto'
import type { Log } from '../core/log.ts'
import { callerOf, type TokenCheck } from '../http/callers.ts'
import { answerWith } from '../http/errors.ts'
import type { RelayOptions } from '../relay/relay.ts'

export const refusesBy =
  (check: TokenCheck, log: Log): RelayOptions['refuses'] =>
  async authorization => {
    try {
      await callerOf(authorization, check)
      return undefined
    } catch (error) {
      const { status, body } = answerWith(error, { requestId: randomUUID(), log })
      return { status, ...body }
    }
  }
