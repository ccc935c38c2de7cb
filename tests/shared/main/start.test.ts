// The commands a new user types, as programs of their own.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { type EmbeddedOptions, startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { lacks, matches } from '../../harness/matches.ts'

const root = join(import.meta.dirname, '..', '..', '..')

type Ended = { code: number | null; text: string }

/** Runs until it ends, or until its output shows `stopAt`, when it is interrupted as by Ctrl-C. */
const run = (args: string[], env: Record<string, string> = {}, stopAt?: string): Promise<Ended> =>
  new Promise(resolve => {
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
        if (stopAt && !isAsked && text.includes(stopAt)) isAsked = child.kill('SIGINT')
      })
    child.on('close', code => resolve({ code, text }))
  })

const start = (flags: string[], env?: Record<string, string>, stopAt?: string) =>
  run(['shared/main/start.ts', ...flags], env, stopAt)

t.test(
  'npm start brings a cluster of its own, does the main job, prints a kubeconfig that works, and ends with Ctrl-C',
  async t => {
    const state = t.testdir()
    const { code, text } = await start(['--state', state], {}, 'Ctrl-C stops everything')
    t.equal(code, 0)
    for (const line of [
      /installed +\d+ CustomResourceDefinition, \d+ Namespace, \d+ ServiceAccount/,
      /host +http:\/\/127\.0\.0\.1:\d+ serves .*garden-reference.*webhook-certificate/,
      /applied +Garden garden/,
      /Secret garden\/backup-credentials +protected from deletion/,
      /Garden garden +its references are protected/,
      /VirtualGardenAPIServerAvailable False: Could not reach virtual garden API server/,
      /… {2,}Component shop\/shop: Processing, waiting for: Job shop\/shop-migration/,
      /Component shop\/shop +Ready, all dependents are ready\n +wave -101: Job shop-migration\n +wave 0: .*\n +wave 1: Deployment shop/,
      /Component shop\/banner +Ready/,
      /Component shop\/outpost +Ready/,
      /Kyma kcp-system\/outpost +Ready, kyma is ready\n +Modules True: .*\n +ModuleCatalog True: .*\n +CRDsSync True/,
      /kubectl --kubeconfig \S+kubeconfig/,
    ])
      matches(t, text, line)
    for (const file of ['kubeconfig', 'runtime.kubeconfig']) {
      const kubeconfig = readFileSync(join(state, file), 'utf8')
      t.ok('access' in parseKubeconfig(kubeconfig, { allowedHosts: ['127.0.0.1'] }), file)
    }
    lacks(t, readFileSync(join(state, 'logs', 'espalier.log'), 'utf8'), /"level":"error"/)
  },
)

/** A cluster that KUBECONFIG names. */
const given = async (t: Test, options?: EmbeddedOptions) => {
  const cluster = await startEmbeddedCluster(options)
  t.teardown(cluster.stop)
  const state = t.testdir({ kubeconfig: cluster.kubeconfig })
  return { cluster, state, KUBECONFIG: join(state, 'kubeconfig') }
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
    matches(t, text, /Nothing was installed/)
    t.equal(cluster.resourceVersion(), before)
  },
)

t.test('FN-02 with KUBECONFIG and --yes npm start uses that cluster', async t => {
  const { cluster, state, KUBECONFIG } = await given(t, { node: true })
  const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const client = createClient(verdict.access)
  t.teardown(client.close)
  const { code, text } = await start(['--state', state, '--yes'], { KUBECONFIG }, 'Ctrl-C stops everything')
  t.equal(code, 0)
  matches(t, text, /installs +CustomResourceDefinition/)
  const name = 'gardens.operator.gardener.cloud'
  t.ok(
    await client.get({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespace: '', name }),
  )
})

t.test('a setting that does not fit stops npm start with its name', async t => {
  const kubeconfig = stringify({ apiVersion: 'v1', kind: 'Config', clusters: [] })
  const state = t.testdir({ kubeconfig })
  matches(t, await start(['--state', '']), { code: 1, text: /--state is "": expected a path/ })
  matches(t, await start(['--state', state, '--kubeconfig', join(state, 'kubeconfig')]), {
    code: 1,
    text: /no current cluster/,
  })
  matches(t, await start(['--help']), { code: 0, text: /--kubeconfig, KUBECONFIG[\s\S]*--yes, ESPALIER_YES/ })
})

t.test('FN-03 npm test needs Node alone; what needs a real control plane says what it needs', async t => {
  const tests = readFileSync(join(root, '.taprc'), 'utf8')
  lacks(t, tests, 'cluster', 'the cluster tests are not among those of npm test')
  const nothing = t.testdir()
  const { code, text } = await run(['tests/harness/run-cluster-tests.ts'], { PATH: nothing, XDG_CACHE_HOME: nothing })
  t.equal(code, 1)
  matches(t, text, /npm run test:cluster needs Go 1\.26 or newer/)
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
