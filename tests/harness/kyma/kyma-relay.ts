// The relay with the subscriptions of the function kyma in serverless.yml, and the real function behind a host that does not ask to be called again.
// So every call has an event as its cause.
import type { Test } from 'tap'
import { kyma as kymaFunction } from '../../../functions/kyma/index.ts'
import type { KymaSettings } from '../../../functions/kyma/settings.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import { settingsWith } from '../../make/settings.ts'
import type { RecordingHost } from '../../shared/relay/recording-host.ts'
import { hostFor, relayOf } from '../clusters/relay-of.ts'
import type { KymaClusters } from './kyma-clusters.ts'

/**
 * The answer of a function, without its request for another call. The exception is one second: a definition may be established before its kind is
 * served, and no event reports that.
 */
export const onlyEvents = ({ wrote, requeueAfterSeconds }: Outcome): Outcome => ({
  ...(requeueAfterSeconds === 1 ? { outcome: 'waiting', requeueAfterSeconds } : { outcome: 'settled' }),
  ...(wrote && { wrote }),
})

export type KymaRelay = RecordingHost & {
  /** Hands the key over as the route for events of runtimes does. Resolves when the relay has the key. */
  handOver(kyma: string): Promise<void>
}

/** Resolves when the relay watches everything. */
export const kymaRelay = async (
  t: Test,
  ground: KymaClusters,
  settings: Partial<KymaSettings> = {},
): Promise<KymaRelay> => {
  const process = processContext({ clusters: ground.everywhere, settingsOf: settingsWith(settings) })
  const host = await hostFor(t, { kyma: kymaFunction }, process)
  host.answer = async ({ key }) => {
    return onlyEvents(await ground.call(key.split('/')[1] ?? '', settings))
  }
  const url = await relayOf(t, ground, { host, names: ['kyma'] })
  const handOver = async (name: string) => {
    const body = JSON.stringify({ function: 'kyma', keys: [{ namespace: 'kcp-system', name }] })
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(`${url}/relay/keys`, { method: 'POST', headers, body })
    if (status !== 202) throw new Error(`the relay answered ${status}`)
  }
  return Object.assign(host, { handOver })
}
