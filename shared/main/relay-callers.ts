// Authenticates callers that hand keys to the relay, with the checks of shared/http, because shared/relay has no checks of tokens.
import { randomUUID } from 'node:crypto'
import type { Landscape } from '../api/serverless.ts'
import type { Log } from '../core/log.ts'
import { callerOf, sharedSecret, type TokenCheck, tokensByKeys, tokensByReview } from '../http/callers/callers.ts'
import { answerWith } from '../http/errors.ts'
import type { RelaySettings } from '../http/settings/relay-settings.ts'
import type { Client } from '../kube/client-types.ts'
import type { RelayOptions } from '../relay/relay.ts'

type RelayGround = { landscape: Landscape; local: Client }

type Check = (settings: RelaySettings, ground: RelayGround) => TokenCheck

const checks: Readonly<Record<RelaySettings['callerProof'], Check>> = {
  keys: (settings, ground) => tokensByKeys(ground.local, callerRules(settings, ground)),
  review: (settings, ground) => tokensByReview(ground.local, callerRules(settings, ground)),
  secret: ({ callerSecret }) => {
    if (callerSecret === undefined) throw new Error('--caller-proof secret needs ESPALIER_CALLER_SECRET')
    return sharedSecret(callerSecret)
  },
}

/** Throws if a setting is missing that the chosen check needs. */
export const tokenCheck: Check = (settings, ground) => checks[settings.callerProof](settings, ground)

const callerRules = ({ callers, callerAudience }: RelaySettings, { landscape }: RelayGround) => {
  const accounts = ['host', 'relay', ...Object.keys(landscape.functions)]
  const usual = accounts.map(account => `system:serviceaccount:${landscape.provider.namespace}:${account}`)
  return { audience: callerAudience, allowed: callers.length > 0 ? callers : usual }
}

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
