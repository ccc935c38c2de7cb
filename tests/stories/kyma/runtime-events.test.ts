// An event of a runtime on its way: the agent's own client posts it over mutual TLS, a host hears it, a relay calls the functions of
// whom it concerns, all on one cluster. The functions are the test's.
import t from 'tap'
import { runtimeEvents } from '../../../functions/runtime-events/index.ts'
import { controlPlane } from '../../../shared/agent/control-plane.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { fullSyncEvent, type RuntimeEvent } from '../../../shared/api/kyma/runtime-event.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { FunctionSettings, Landscape } from '../../../shared/api/serverless.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { refusesBy } from '../../../shared/http/caller-proof.ts'
import { sharedSecret } from '../../../shared/http/callers.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { hostSettings } from '../../../shared/http/settings/host-settings.ts'
import { startHost } from '../../../shared/http/start-host.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../../shared/http/telemetry/metrics.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { ownCluster } from '../../harness/clusters/own-cluster.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { silentLog } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { standingRelayClock } from '../../harness/standing-clock.ts'
import { kyma, moduleManifest, watcher } from '../../make/kyma/kyma.ts'
import { namespace } from '../../make/objects/namespaces.ts'
import { recordingHost, relayToken } from '../../shared/relay/recording-host.ts'

const fieldManager = 'person'
const { functions, ...rest } = readLandscape(new URL('../../../serverless.yml', import.meta.url))

const watching = (kind: string): FunctionSettings => ({
  handler: 'functions/x/index.x',
  description: 'x',
  timeout: 30,
  concurrency: 5,
  memorySize: 64,
  failureBaseSeconds: 1,
  failureMaxSeconds: 60,
  access: [],
  events: [{ watch: { apiVersion: kymaKind.apiVersion, kind, on: ['generation', 'deletion'], map: 'self' } }],
})

const landscape: Landscape = {
  ...rest,
  functions: {
    ...('runtime-events' in functions && { 'runtime-events': functions['runtime-events'] }),
    kyma: watching('Kyma'),
    manifest: watching('Manifest'),
  } as Landscape['functions'],
}

t.test('an event of a runtime leads to a pass that reads after it', async t => {
  const client = await ownCluster(t)
  for (const name of ['kcp-system', 'istio-system']) await client.create(namespace(name), { fieldManager })
  for (const crd of kymaCrds()) await define(client, crd as KubeObject)
  const [ours, [relayPort = 0]] = await Promise.all([newAuthority('ours'), freePorts(1)])
  const [serving, own] = await Promise.all([ours.serving({ dns: ['localhost'] }), ours.client({ user: 'runtime-1' })])
  const labels = { 'kyma-project.io/runtime-id': 'runtime-1' }
  const objects: KubeObject[] = [
    kyma({ metadata: { labels } }),
    moduleManifest({ metadata: { name: 'first', labels: { 'operator.kyma-project.io/kyma-name': 'default-id' } } }),
    watcher(),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'istio-system', name: 'klm-istio-gateway' },
      data: {
        'tls.crt': encodedText(serving.certificate),
        'tls.key': encodedText(serving.key),
        'ca.crt': encodedText(ours.certificate),
      },
    },
  ]
  for (const object of objects) await client.create(object, { fieldManager })
  const all = clusters({ local: client })

  const called = await recordingHost()
  t.teardown(() => called.close())
  const relayHere = () =>
    startRelay({
      landscape,
      clusters: all,
      clock: standingRelayClock(),
      log: silentLog,
      host: { urlOf: () => called.url, token: async () => relayToken },
      listen: { host: '127.0.0.1', port: relayPort },
      refuses: refusesBy(sharedSecret(relayToken), silentLog),
    })
  let relay = await relayHere()
  t.teardown(() => relay.stop(1))
  await relay.ready

  const reading = settingsFrom(hostSettings, {
    program: 'host',
    flags: [],
    environment: {
      ESPALIER_LISTEN: '127.0.0.1:0',
      ESPALIER_PROBES_LISTEN: '',
      ESPALIER_CALLBACKS_LISTEN: '127.0.0.1:0',
      ESPALIER_TLS: 'off',
      ESPALIER_CALLER_PROOF: 'secret',
      ESPALIER_CALLER_SECRET: relayToken,
      ESPALIER_DRAIN_SECONDS: '0',
      ESPALIER_RELAY: `http://127.0.0.1:${relayPort}`,
    },
  })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  const host = await startHost({
    settings: reading.settings,
    landscape,
    functions: [runtimeEvents],
    local: client,
    clusters: all,
    metrics: hostMetrics(),
    log: hostLog('silent'),
    version: '0.0.0',
  })
  t.teardown(() => host.stop())

  const agent = controlPlane({
    address: `localhost:${host.addresses.callbacks?.port}`,
    contract: 'v2',
    userAgent: 'agent',
    certificate: () => certificate,
  })
  const certificate = { authorities: ours.certificate, certificate: own.certificate, key: own.key }
  t.teardown(() => agent.close())
  const report = (event: RuntimeEvent) => agent.post({ manager: 'lifecycle-manager', event })
  const ofKyma = { watched: fullSyncEvent.watched, watchedGvk: fullSyncEvent.watchedGvk }

  t.test('KY-160 an event that comes while a pass is under way leads to another one after it', async t => {
    await called.until(() => called.calls.length >= 2 && called.calls.every(({ isOver }) => isOver))
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    called.forget()
    called.answer = async () => {
      await gate
      return { outcome: 'settled' }
    }
    t.equal(await report(ofKyma), undefined, 'it is taken')
    await called.until(() => called.called('kyma').length === 1)
    t.equal(await report(ofKyma), undefined)
    open()
    await called.until(() => called.calls.length === 2 && called.calls.every(({ isOver }) => isOver))
    t.strictSame(called.called('kyma'), ['kcp-system/default-id', 'kcp-system/default-id'])
  })

  t.test('KY-162 a full sync calls for the Kyma and its Manifests', async () => {
    called.forget()
    t.equal(await report(fullSyncEvent), undefined)
    await called.until(() => called.called('manifest').includes('kcp-system/first') && called.called('kyma').length > 0)
  })

  t.test('KY-168 while the relay is away the agent is told so, and nothing that was taken is lost', async t => {
    await relay.stop(1)
    matches(t, await report(ofKyma), { reason: 'refused', code: 503, retryAfterSeconds: 1 })
    relay = await relayHere()
    await relay.ready
    await called.until(() => called.calls.every(({ isOver }) => isOver))
    called.forget()
    t.equal(await report(ofKyma), undefined)
    await called.until(() => called.called('kyma').length > 0)
  })
})
