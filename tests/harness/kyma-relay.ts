// The relay with the subscriptions of serverless.yml for the function kyma, and the real function behind a host that never asks to be
// called again. So whatever happens to a Kyma happens because of an event.
import type { Test } from 'tap'
import { kyma as kymaFunction } from '../../functions/kyma/index.ts'
import type { KymaInstallation } from '../../shared/api/installation.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { startRelay } from '../../shared/relay/relay.ts'
import { gatherContext, processContext } from '../../shared/runtime/context.ts'
import type { ChangeType } from '../../shared/runtime/definition.ts'
import { type RecordingHost, recordingHost, relayToken } from '../shared/relay/recording-host.ts'
import { silentLog } from '../shared/relay/silent-log.ts'
import type { KymaClusters } from './kyma-clusters.ts'
import { standingRelayClock } from './standing-clock.ts'

/** Resolves when it watches everything. */
export const kymaRelay = async (
  t: Test,
  ground: KymaClusters,
  settings: Partial<KymaInstallation> = {},
): Promise<RecordingHost> => {
  const { everywhere, remotes } = ground
  const { provider, functions, ...rest } = readLandscape('serverless.yml')
  const { kyma } = functions
  if (!kyma) throw new Error('serverless.yml has kyma')
  const host = await recordingHost()
  t.teardown(host.close)
  host.answer = async ({ key }) => {
    const { wrote } = await ground.call(key.split('/')[1] ?? '', settings)
    return { outcome: 'settled', ...(wrote && { wrote }) }
  }
  const context = await gatherContext(processContext({ clusters: everywhere }), {})
  host.keys = ({ object, type }) => kymaFunction.keys?.(object, context, type as ChangeType) ?? []
  const relay = await startRelay({
    landscape: { ...rest, provider: { ...provider, remotes }, functions: { kyma } },
    ...{ clock: standingRelayClock(), clusters: everywhere, log: silentLog },
    host: { urlOf: () => host.url, token: async () => relayToken },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
  })
  t.teardown(() => relay.stop(1))
  await relay.ready
  return host
}
