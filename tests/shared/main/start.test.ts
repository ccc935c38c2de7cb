// The commands a new user types, as programs of their own.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { istioKind } from '../../../shared/api/istio.ts'
import { kymaKind, moduleReleaseMetaKind } from '../../../shared/api/kyma.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type EmbeddedOptions, startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { readyText } from '../../../shared/main/start/samples.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { unitTests } from '../../harness/runner/rooms.ts'
import { eventually } from '../../harness/until.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Lines that were wrapped become one again. */
const unwrapped = (text: string): string => text.replace(/\n {6}( {5})?(?! )/g, ' ')

type Ended = { code: number | null; text: string }

/** What is awaited while it runs; by then its output shows `Ctrl-C stops everything`, or the result as JSON. */
type Meanwhile = (text: string) => Promise<void>

/** Runs until it ends, or until its output shows that it is ready and `meanwhile` is over, when it is interrupted as by Ctrl-C. */
const run = (args: string[], env: Record<string, string> = {}, meanwhile?: Meanwhile): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const { KUBECONFIG: _, ...inherited } = process.env
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    let isAsked = false
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more
        if (!meanwhile || isAsked || !/Ctrl-C stops everything|^\{"kubeconfig"/m.test(text)) return
        isAsked = true
        meanwhile(unwrapped(text))
          .catch(reject)
          .finally(() => child.kill('SIGINT'))
      })
    child.on('close', code => resolve({ code, text: unwrapped(text) }))
  })

const start = (flags: string[], env?: Record<string, string>, meanwhile?: Meanwhile) =>
  run(['shared/main/start.ts', ...flags], env, meanwhile)

/** A client by the kubeconfig in this file. */
const clientBy = (t: Test, file: string): Client => {
  const verdict = parseKubeconfig(readFileSync(file, 'utf8'), { allowedHosts: ['127.0.0.1'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const client = createClient(verdict.access)
  t.teardown(client.close)
  return client
}

t.test(
  'KY-330 npm start brings clusters of its own, does the main job, prints kubeconfigs that work, and ends with Ctrl-C',
  async t => {
    const state = t.testdir()
    const { code, text } = await start(['--state', state, '--port', '0'], {}, async shown => {
      await Promise.all([editsTheCopy(t, { state, shown }), changesTheMesh(t, { state, shown })])
    })
    t.equal(code, 0)
    for (const line of [
      /installed +\d+ CustomResourceDefinition, \d+ Namespace, \d+ ServiceAccount/,
      /host +http:\/\/127\.0\.0\.1:\d+ serves .*garden-reference.*webhook-certificate/,
      /applied +Garden garden/,
      /Secret garden\/backup-credentials: protected from deletion/,
      /… {2,}Garden garden: \d+ %, Waiting for [A-Z]\w+ \S+: /,
      /VirtualGardenAPIServerAvailable (False: Could not reach virtual garden API server|True: API server)/,
      /… {2,}Component shop\/shop: Processing, waiting for: Job shop\/shop-migration/,
      /Component shop\/shop: Ready, all dependents are ready\n +wave -101: Job shop-migration\n +wave 0: .*\n +wave 1: Deployment shop/,
      /Component shop\/banner: Ready/,
      /Component shop\/outpost: Ready/,
      /… {2,}Kyma kcp-system\/outpost: Processing/,
      /Kyma kcp-system\/outpost: Ready, kyma is ready\n +Modules True: .*\n +ModuleCatalog True: .*\n +CRDsSync True: .*\n +SKRWebhook True/,
      /module telemetry 1\.2\.3 \(regular\): Ready\n +module api-gateway 2\.0\.1 \(regular\): Ready\n +module eventing 1\.0\.0 \(regular\): Ready/,
      /Manifest kcp-system\/outpost-telemetry-\d+: Ready, resources are ready\n +wave 0: CustomResourceDefinition .*, Deployment \S+\n +wave 1: Telemetry default/,
      /Watcher kcp-system\/kyma-watcher: Ready, events reach the listener directly/,
      /\n\nready after \d+\.\d s(, except Garden garden: a line follows when all are ready)?\.\nLook around/,
      /kubectl --kubeconfig \S+kubeconfig/,
    ])
      matches(t, text, line)
    lacks(t, readFileSync(join(state, 'logs', 'espalier.log'), 'utf8'), /"level":"error"/)
  },
)

const hasShortLines = (text: string): boolean => text.split('\n').every(line => line.length <= 100)

t.test('FN-120 npm start tells what is ready, and what it goes on waiting for', async t => {
  t.equal(readyText([], '9.0 s'), 'ready after 9.0 s.')
  const open = ['Garden garden', 'Component shop/shop']
  const text = 'ready after 9.0 s, except Garden garden, Component shop/shop: a line follows when all are ready.'
  t.equal(readyText(open, '9.0 s'), text)
  t.ok(hasShortLines(readyText([...open, 'Istio kyma-system/default'], '9.0 s')))
})

/** By hand in the runtime, as its owner does. The control plane follows, and the agent has told it. */
const editsTheCopy = async (t: Test, { state, shown }: { state: string; shown: string }): Promise<void> => {
  const [plane, runtime] = ['kubeconfig', 'runtime.kubeconfig'].map(file => clientBy(t, join(state, file)))
  if (!plane || !runtime) return
  const [, hostUrl] = /host +(http\S+)/.exec(shown) ?? []
  const events = async (): Promise<number> => {
    const metrics = await (await fetch(`${hostUrl}/metrics`)).text()
    return Number(/^watcher_listener_requests_total\S* (\d+)/m.exec(metrics)?.[1] ?? 0)
  }
  await eventually('the agent has told all that there is', async () => (await events()) > 0)
  const before = await events()
  const copy = { ...kymaKind, namespace: 'kyma-system', name: 'default' }
  await runtime.patch(copy, { type: 'merge', body: { spec: { channel: 'fast' } } }, { fieldManager: 'person' })
  await eventually('the other version of telemetry is installed', async () => {
    const kyma = (await plane.get({ ...kymaKind, namespace: 'kcp-system', name: 'outpost' })) as Kyma
    const { version, state } = kyma.status?.modules?.find(({ name }) => name === 'telemetry') ?? {}
    return version === '1.3.0' && state === 'Ready'
  })
  await eventually('the agent has told of the copy', async () => (await events()) > before)
  const catalogue = await runtime.list({ ...moduleReleaseMetaKind, namespace: 'kyma-system' })
  t.strictSame(catalogue.map(({ metadata }) => metadata.name).sort(), ['api-gateway', 'eventing', 'telemetry'])
}

/** By the command that is shown last about the mesh: both workloads get new sidecars. */
const changesTheMesh = async (t: Test, { state, shown }: { state: string; shown: string }): Promise<void> => {
  const plane = clientBy(t, join(state, 'kubeconfig'))
  const [, body = ''] = /patch istio default --type merge -p '(.*)'/.exec(shown) ?? []
  const variables = async (): Promise<string[]> => {
    const pods = await plane.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'bookshop' })
    const proxies = pods.map(({ spec }) =>
      mapsIn(mapOrEmpty(spec).containers).find(({ name }) => name === 'istio-proxy'),
    )
    return proxies
      .map(proxy =>
        mapsIn(proxy?.env)
          .map(({ name, value }) => `${name}=${value}`)
          .join(),
      )
      .sort()
  }
  const capturing = /ISTIO_META_DNS_CAPTURE=true/
  await eventually('three Pods have a sidecar', async () => (await variables()).filter(Boolean).length === 3)
  for (const variable of await variables()) lacks(t, variable, capturing)
  const istio = { ...istioKind, namespace: 'kyma-system', name: 'default' }
  await plane.patch(istio, { type: 'merge', body: JSON.parse(body) }, { fieldManager: 'person' })
  await eventually('all Pods are made anew, with the change', async () => {
    const all = await variables()
    return all.length === 3 && all.every(variable => capturing.test(variable))
  })
}

/** A cluster that KUBECONFIG names. */
const given = async (t: Test, options?: EmbeddedOptions) => {
  const cluster = await startEmbeddedCluster(options)
  t.teardown(cluster.stop)
  const state = t.testdir({ given: cluster.kubeconfig })
  return { cluster, state, KUBECONFIG: join(state, 'given') }
}

t.test(
  'FN-02 with KUBECONFIG and nobody there to agree npm start says what it would install, and installs nothing',
  async t => {
    const { cluster, state, KUBECONFIG } = await given(t)
    const before = cluster.resourceVersion()
    const { code, text } = await start(['--state', state], { KUBECONFIG })
    t.equal(code, 1)
    for (const line of [
      /installs +CustomResourceDefinition .*gardens\.operator\.gardener\.cloud/,
      /installs +Namespace espalier-system/,
      /installs +ClusterRole .*espalier-garden-reference/,
      /installs +Garden garden/,
    ])
      matches(t, text, line)
    matches(t, text, /nothing was installed/)
    t.equal(cluster.resourceVersion(), before)
  },
)

t.test(
  'FN-02 FN-105 with KUBECONFIG and --yes npm start uses that cluster, and no other one begins in its folder',
  async t => {
    const { state, KUBECONFIG } = await given(t, { node: true })
    const client = clientBy(t, KUBECONFIG)
    // Of one that was killed.
    writeFileSync(join(state, 'start.lock'), '1 another-start/1')
    const { code, text } = await start(['--state', state, '--yes'], { KUBECONFIG }, async () => {
      const second = await start(['--state', state], { KUBECONFIG })
      matches(t, second, {
        code: 1,
        text: /^start: npm start is already running with the\s+folder\s+\S+\s+\(process\s+\d+,\s+as\s+\S+start\.lock\s+says\):\s.*--state\n$/s,
      })
    })
    t.equal(code, 0)
    matches(t, text, /installs +CustomResourceDefinition/)
    const name = 'gardens.operator.gardener.cloud'
    t.ok(
      await client.get({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        namespace: '',
        name,
      }),
    )
  },
)

t.test(
  'FN-119 FN-120 FN-121 npm start of one function, with the KUBECONFIG of its own folder and JSON alone',
  async t => {
    const state = t.testdir({ kubeconfig: 'that of an earlier run' })
    const KUBECONFIG = join(state, 'kubeconfig')
    const flags = ['--port', '0', '--functions', 'webhook-certificate', '--json', '--quiet']
    const { code, text } = await start(['--state', state, ...flags], { KUBECONFIG }, async () => {
      const [first, ...settings] = readFileSync(join(state, 'env'), 'utf8').trimEnd().split('\n')
      t.equal(first, `export KUBECONFIG='${KUBECONFIG}'`)
      t.strictSame(
        settings.map(line => line.replace(/127\.0\.0\.1:\d+/, 'ADDRESS')),
        [
          `export ESPALIER_CHART_ROOT='${join(root, 'manifests', 'samples', 'charts')}'`,
          "export ESPALIER_KYMA_REGISTRY='ADDRESS'",
          "export ESPALIER_PLAIN_REGISTRIES='ADDRESS'",
          "export ESPALIER_KYMA_EVENT_ADDRESS='ADDRESS'",
          "export ESPALIER_KYMA_EVENT_INGRESS='native'",
          "export ESPALIER_KYMA_AGENT_IMAGE='espalier'",
          "export ESPALIER_VIRTUAL_GARDEN_ADDRESS='ADDRESS'",
          "export ESPALIER_BACKUP_SIDECAR_ADDRESS='ADDRESS'",
        ],
        'SEE-88',
      )
      t.ok(await clientBy(t, KUBECONFIG).get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'default' }))
    })
    t.equal(code, 0)
    matches(t, JSON.parse(text), { kubeconfig: KUBECONFIG, open: [], objects: [] })
    t.notOk(existsSync(join(state, 'start.lock')))
    const unknown = await start(['--state', state, '--functions', 'istoi'])
    matches(t, unknown, { code: 1, text: /^start: --functions: unknown istoi; expected some of component, / })
    t.ok(hasShortLines(unknown.text), 'FN-120')
  },
)

t.test('FN-116 a setting that does not fit stops npm start with its name, and leaves no lock', async t => {
  const kubeconfig = stringify({ apiVersion: 'v1', kind: 'Config', clusters: [] })
  const state = t.testdir({ given: kubeconfig })
  matches(t, await start(['--state', '']), { code: 1, text: /--state is "": expected a path/ })
  matches(t, await start(['--state', state, '--kubeconfig', join(state, 'given')]), {
    code: 1,
    text: /has\s+no current context/,
  })
  t.notOk(existsSync(join(state, 'start.lock')), 'FN-116')
  matches(t, await start(['--help']), { code: 0, text: /--kubeconfig, KUBECONFIG[\s\S]*--\[no-\]yes, ESPALIER_YES/ })
})

t.test('FN-03 npm test needs Node alone; what needs a real control plane says what it needs', async t => {
  for (const suite of ['cluster', 'parts']) lacks(t, unitTests.join(), suite, 'not among the tests of npm test')
  const empty = t.testdir()
  for (const suite of ['cluster', 'parts']) {
    const without = { PATH: empty, XDG_CACHE_HOME: empty }
    const { code, text } = await run([`tests/harness/runner/run-${suite}-tests.ts`], without)
    t.equal(code, 1)
    matches(t, text, new RegExp(`npm run test:${suite} needs Go 1\\.26 or newer`))
  }
})

t.test('npm start before npm ci, or on an older Node, says what to do', async t => {
  const check = 'shared/main/check-node.mjs'
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal(scripts.prestart, `node ${check}`)
  t.strictSame(await run([check]), { code: 0, text: '' }, 'as it should be')
  const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.19.0"}})'
  t.strictSame(await run(['--import', older, check]), {
    code: 1,
    text: 'start: this is Node 20.19.0, and Espalier needs Node 24 or newer: `npm ci` brings it on Linux, elsewhere install it\n',
  })
  const checkout = t.testdir({ shared: { main: { 'check-node.mjs': readFileSync(join(root, check), 'utf8') } } })
  t.strictSame(await run(['--import', older, join(checkout, check)]), {
    code: 1,
    text: 'start: what Espalier needs is not installed yet: run `npm ci` once, then `npm start` again\n',
  })
})
