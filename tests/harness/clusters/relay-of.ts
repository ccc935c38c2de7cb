// The relay with the subscriptions that functions have in serverless.yml, and a host that records its calls. The host asks for no further call, so
// every call has an event as its cause.
import type { Test } from 'tap'
import type { RemoteSettings } from '../../../shared/api/serverless.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import type { Clusters } from '../../../shared/kube/client-types.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { gatherContext, type ProcessContext } from '../../../shared/runtime/context.ts'
import type { ChangeType, ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { type RecordingHost, recordingHost, relayToken } from '../../shared/relay/recording-host.ts'
import { silentLog } from '../../shared/relay/silent-log.ts'
import { standingRelayClock } from '../standing-clock.ts'

/** A host that finds the keys of these functions for an object. */
export const hostFor = async (
  t: Test,
  functions: Readonly<Record<string, Pick<ReconcileFunction, 'name' | 'keys' | 'settings'>>>,
  process: ProcessContext,
): Promise<RecordingHost> => {
  const host = await recordingHost()
  t.teardown(host.close)
  host.keys = async ({ function: name, object, type }) => {
    const definition = functions[name]
    const context = definition && (await gatherContext(process, definition, {}))
    return (context && (await definition.keys?.(object, context, type as ChangeType))) ?? []
  }
  return host
}

type Watched = { readonly everywhere: Clusters; readonly remotes?: Readonly<Record<string, RemoteSettings>> }
type RelayFor = { readonly host: RecordingHost; readonly names: readonly string[] }

/** Resolves to the URL of the relay when it watches everything. */
export const relayOf = async (
  t: Test,
  { everywhere, remotes = {} }: Watched,
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
