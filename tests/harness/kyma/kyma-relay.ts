// The relay with the subscriptions of serverless.yml for the function kyma, and the real function behind a host that does not ask to be
// called again. So whatever happens to a Kyma happens because of an event.
import type { Test } from 'tap'
import { kyma as kymaFunction } from '../../../functions/kyma/index.ts'
import { defaultInstallation, type KymaInstallation } from '../../../shared/api/installation.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { gatherContext, processContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { type RecordingHost, recordingHost, relayToken } from '../../shared/relay/recording-host.ts'
import { silentLog } from '../../shared/relay/silent-log.ts'
import { standingRelayClock } from '../standing-clock.ts'
import type { KymaClusters } from './kyma-clusters.ts'

/**
 * What a function answers, as if it had asked for no other call. But a definition may be established before its kind is served, and no
 * event tells of that.
 */
export const onlyEvents = ({ wrote, requeueAfterSeconds }: Outcome): Outcome => ({
  ...(requeueAfterSeconds === 1 ? { outcome: 'waiting', requeueAfterSeconds } : { outcome: 'settled' }),
  ...(wrote && { wrote }),
})

export type KymaRelay = RecordingHost & {
  /** As the route for events of runtimes does. Resolves when the relay has taken the key. */
  handOver(kyma: string): Promise<void>
}

/** Resolves when it watches everything. */
export const kymaRelay = async (
  t: Test,
  ground: KymaClusters,
  settings: Partial<KymaInstallation> = {},
): Promise<KymaRelay> => {
  const host = await recordingHost()
  t.teardown(host.close)
  host.answer = async ({ key }) => {
    return onlyEvents(await ground.call(key.split('/')[1] ?? '', settings))
  }
  const installation = { ...defaultInstallation, kyma: { ...defaultInstallation.kyma, ...settings } }
  const context = await gatherContext(processContext({ clusters: ground.everywhere, installation }), {})
  host.keys = ({ object, type }) => kymaFunction.keys?.(object, context, type as ChangeType) ?? []
  const url = await relayOf(t, ground, { host, names: ['kyma'] })
  const handOver = async (name: string) => {
    const body = JSON.stringify({ function: 'kyma', keys: [{ namespace: 'kcp-system', name }] })
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(`${url}/relay/keys`, { method: 'POST', headers, body })
    if (status !== 202) throw new Error(`the relay answered ${status}`)
  }
  return Object.assign(host, { handOver })
}

type RelayFor = { readonly host: RecordingHost; readonly names: readonly string[] }

/** A relay with the subscriptions that these functions have in serverless.yml. Resolves to its URL when it watches everything. */
export const relayOf = async (
  t: Test,
  { everywhere, remotes }: KymaClusters,
  { host, names }: RelayFor,
): Promise<string> => {
  const { provider, functions: all, ...rest } = readLandscape('serverless.yml')
  const functions = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
  const relay = await startRelay({
    landscape: { ...rest, provider: { ...provider, remotes }, functions },
    clock: standingRelayClock(),
    clusters: everywhere,
    log: silentLog,
    host: { urlOf: () => host.url, token: async () => relayToken },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
  })
  t.teardown(() => relay.stop(1))
  await relay.ready
  return `http://127.0.0.1:${relay.port}`
}
