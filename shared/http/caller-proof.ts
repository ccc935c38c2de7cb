// How host and relay authenticate their callers: the check that the settings choose, and the refusal of a caller as an answer.
import { randomUUID } from 'node:crypto'
import type { Log } from '../core/log.ts'
import type { Client } from '../kube/client-types.ts'
import { callerOf, sharedSecret, type TokenCheck, tokensByKeys, tokensByReview } from './callers.ts'
import { answerWith } from './errors.ts'
import type { HostSettings } from './settings/host-settings.ts'

type ProofSettings = Pick<HostSettings, 'callerProof' | 'callerSecret' | 'callerAudience' | 'callers'>

/** `usual`: the service accounts that may call if the settings name no caller. Throws if the chosen check needs a missing setting. */
export const tokenCheckBy = (
  { callerProof, callerSecret, callerAudience: audience, callers }: ProofSettings,
  local: Client,
  { namespace, usual }: { readonly namespace: string; readonly usual: readonly string[] },
): TokenCheck => {
  if (callerProof === 'secret') {
    if (callerSecret === undefined) throw new Error('--caller-proof secret needs ESPALIER_CALLER_SECRET')
    return sharedSecret(callerSecret)
  }
  const accounts = usual.map(account => `system:serviceaccount:${namespace}:${account}`)
  const rules = { audience, allowed: callers.length > 0 ? callers : accounts }
  return callerProof === 'keys' ? tokensByKeys(local, rules) : tokensByReview(local, rules)
}

/** undefined: the caller is accepted. For the relay, which has no checks of its own. */
export const refusesBy = (check: TokenCheck, log: Log) => async (authorization: string | undefined) => {
  try {
    await callerOf(authorization, check)
    return undefined
  } catch (error) {
    const { status, body } = answerWith(error, { requestId: randomUUID(), log })
    return { status, ...body }
  }
}
