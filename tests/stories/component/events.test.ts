// Which events lead to a call for a Component, through the relay and the host as serverless.yml describes them.
import { join } from 'node:path'
import pino from 'pino'
import t from 'tap'
import { componentFunction } from '../../../functions/component/index.ts'
import type { FunctionSettings, Landscape } from '../../../shared/api/serverless.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { hostSettings } from '../../../shared/http/settings/host-settings.ts'
import { type RunningHost, startHost } from '../../../shared/http/start-host.ts'
import { hostMetrics } from '../../../shared/http/telemetry/metrics.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { rendererProgram } from '../../../shared/main/program.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import type { FunctionDefinition } from '../../../shared/runtime/definition.ts'
import { componentGround } from '../../harness/component/component-ground.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { chartFiles, configMap, type MadeComponent } from '../../make/component/component.ts'

const ground = await componentGround(t)
const { client } = ground
const whole = readLandscape(join(import.meta.dirname, '..', '..', '..', 'serverless.yml'))
const landscape = { ...whole, functions: only(whole, 'component') }

/** In our own namespace: the cluster may be shared with others who have Components. */
function only({ functions }: Landscape, name: string): Record<string, FunctionSettings> {
  const settings = functions[name]
  if (!settings) throw new Error(`serverless.yml has no function ${name}`)
  const { namespace } = ground
  const events = settings.events.map(event => ('watch' in event ? { watch: { ...event.watch, namespace } } : event))
  return { [name]: { ...settings, events } }
}

const secret = 'a-secret-of-this-test-and-of-no-other'
const log = pino({ level: 'silent' })

const hostOf = (): Promise<RunningHost> => {
  const flags = ['--listen=127.0.0.1:0', '--probes-listen=', '--tls=off', '--caller-proof=secret']
  const environment = { ESPALIER_CALLER_SECRET: secret, ESPALIER_DRAIN_SECONDS: '0' }
  const reading = settingsFrom(hostSettings, { program: 'test', flags, environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  const { settings } = reading
  const all = { local: client, clusters: clusters({ local: client }) }
  const functions = [componentFunction as FunctionDefinition]
  const program = { version: 'test', rendererProgram }
  return startHost({ settings, landscape, functions, ...all, metrics: hostMetrics(), log, ...program })
}

/** Where the key lies that charts draw from. */
const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: landscape.provider.namespace } }
await client.apply(home, { fieldManager: 'person' })
const host = await hostOf()
const hostUrl = `http://127.0.0.1:${host.addresses.functions?.port}`
const relay = await startRelay({
  landscape,
  clusters: clusters({ local: client }),
  log,
  host: { urlOf: () => hostUrl, token: async () => secret },
  listen: { host: '127.0.0.1', port: 0 },
  refuses: async () => undefined,
})
await relay.ready
t.teardown(async () => {
  await relay.stop(2)
  await host.stop()
})

/** Resolves as soon as that is true of the Component. */
const until = (name: string, isSo: (found: MadeComponent) => boolean): Promise<void> =>
  eventually(`${name}: ${isSo}`, async () => {
    const found = await ground.read(name)
    return found !== undefined && isSo(found)
  })

const isReadyAt =
  (revision: number) =>
  ({ status, metadata }: MadeComponent) =>
    status?.state === 'Ready' && status.revision === revision && status.observedGeneration === metadata.generation

t.test('CO-13 what it refers to changes: a new revision', async t => {
  const flat = Object.fromEntries(Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text]))
  await ground.put(configMap('chart', flat))
  await ground.put(configMap('values', { 'values.yaml': 'greeting: first\n' }))
  const spec = { source: { helm: { configMapRef: { name: 'chart' } } } }
  await ground.create('told', { ...spec, valuesFrom: [{ kind: 'ConfigMap', name: 'values' }] })
  await until('told', isReadyAt(1))
  await ground.put(configMap('values', { 'values.yaml': 'greeting: second\n' }))
  await until('told', isReadyAt(2))
  matches(t, await ground.live('ConfigMap', 'told'), { data: { greeting: 'second' } })
  await ground.put(configMap('chart', { ...flat, 'values.yaml': 'greeting: hidden\nmore: added\n' }))
  await until('told', isReadyAt(3))
  matches(t, await ground.live('ConfigMap', 'told'), { data: { values: /added/ } })
  // What nobody refers to is no revision: the next one is that of the annotation.
  await ground.put(configMap('stranger', { a: 'b' }))
  await ground.change('told', { metadata: { annotations: { 'example.com/looked': 'yes' } } })
  await until('told', isReadyAt(4))
})

t.test('CO-12 a Secret that was missing appears', async t => {
  const source = { helm: { configMapRef: { name: 'chart' } } }
  await ground.create('waiting', { source, valuesFrom: [{ kind: 'Secret', name: 'awaited' }] })
  await until(
    'waiting',
    ({ status }) => status?.state === 'Pending' && /awaited/.test(status.conditions?.[0]?.message ?? ''),
  )
  const data = { 'values.yaml': Buffer.from('greeting: here\n').toString('base64') }
  await ground.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'awaited' }, data })
  await until('waiting', ({ status }) => status?.state === 'Ready')
  matches(t, await ground.live('ConfigMap', 'waiting'), { data: { greeting: 'here' } })
})

t.test('CO-51 a dependent that somebody deletes comes back', async t => {
  await ground.create('kept', { source: { manifests: [configMap('kept-a'), configMap('kept-b')] } })
  await until('kept', isReadyAt(1))
  const before = await ground.live('ConfigMap', 'kept-a')
  await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ground.namespace, name: 'kept-a' }, {})
  await eventually('it is there again', async () => {
    const live = await ground.live('ConfigMap', 'kept-a')
    return live !== undefined && live.metadata.uid !== before?.metadata.uid
  })
  t.pass('it is there again')
})
