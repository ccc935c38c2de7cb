// What `npm run build` makes, as the image holds it: in a folder of its own, with no sources and no packages in reach.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { agentDeployment } from '../../../functions/kyma/desired/agent.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { deployManifests } from '../../../shared/deploy/manifests/manifests.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { install, installation } from '../../../shared/main/start/install.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { contains, lacks, matches, rejects } from '../../harness/matches.ts'
import { chartFiles, component, configMap } from '../../make/component/component.ts'
import { garden } from '../../make/garden/garden.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const person = { fieldManager: 'person' }
const landscape = readLandscape(join(root, 'serverless.yml'))
const secret = 'x'.repeat(40)

const image = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-image-')))
t.teardown(() => rmSync(image, { recursive: true, force: true }))
await promisify(execFile)('npm', ['run', 'build', '--', '--into', join(image, 'dist')], { cwd: root })

const cluster = await startEmbeddedCluster()
t.teardown(() => cluster.stop())
const credentials = { ca: cluster.caCert, token: cluster.adminToken }
const client = createClient({ server: cluster.url, credentials: () => credentials })
t.teardown(() => client.close())
await install(client, installation(landscape, { withWebhooks: false }))

const mounted = join(image, 'mounted')
mkdirSync(mounted)
const kubeconfig = join(mounted, 'kubeconfig')
writeFileSync(join(mounted, 'token'), cluster.adminToken)
writeFileSync(join(mounted, 'ca.crt'), cluster.caCert)
writeFileSync(kubeconfig, cluster.kubeconfig)

type Container = { args: string[]; securityContext: object }
type Workload = { kind: string; metadata: { name: string }; spec: { template: { spec: { containers: Container[] } } } }

/** What runs in the Deployment of that name. */
const containerOf = (name: string): Container => {
  const objects = deployManifests(landscape, manifest.version).flatMap(({ objects }) => objects) as Workload[]
  const found = objects.find(object => object.kind === 'Deployment' && object.metadata.name === name)
  const [container] = found?.spec.template.spec.containers ?? []
  if (!container) throw new Error(`no Deployment ${name}`)
  return container
}

const [hostArgs, relayArgs] = [containerOf('host').args, containerOf('relay').args]
const inCluster = [`--api-server=${cluster.url}`, `--service-account=${mounted}`]
const listens = ['--listen=127.0.0.1:0', '--caller-proof=secret']
const hostListens = [...listens, '--probes-listen=', '--webhooks-listen=127.0.0.1:0', '--drain-seconds=0']
const reviewer = [...inCluster, ...hostListens, '--tls=off', '--functions=garden-admission,garden-reference']

type Running = {
  url: string
  webhooksUrl: string
  pid: number | undefined
  stderr: readonly string[]
  /** Kills it, unless another signal is given; all that it said is read then. */
  end(signal?: NodeJS.Signals): Promise<unknown>
}

/** Resolves when the program says that it listens. Without what tap would load into it. */
const started = async (t: Test, args: readonly string[], cwd = image): Promise<Running> => {
  const env = { PATH: process.env.PATH, ESPALIER_CALLER_SECRET: secret }
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const stderr: string[] = []
  const errors = createInterface({ input: child.stderr }).on('line', line => stderr.push(line))
  const allRead = once(errors, 'close')
  const end = (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    return allRead
  }
  for await (const text of createInterface({ input: child.stdout })) {
    const { msg, port, ports, addresses } = JSON.parse(text)
    const url = (port: number | undefined) => `http://127.0.0.1:${port}`
    if (msg === 'listening')
      return {
        url: url(port ?? ports?.metrics ?? addresses.functions.port),
        webhooksUrl: url(addresses?.webhooks?.port),
        pid: child.pid,
        stderr,
        end,
      }
  }
  await allRead
  throw new Error(`${args.join(' ')} ended: ${stderr.join('\n')}`)
}

type Answer = { code: number; body: string }

const asked = async (url: string, body?: object): Promise<Answer> => {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const answer = await fetch(url, body && { method: 'POST', headers, body: JSON.stringify(body) })
  return { code: answer.status, body: await answer.text() }
}

/** Readiness may take some looks: the relay lists everything first. */
const untilReady = async (url: string): Promise<void> => {
  while ((await asked(`${url}/readyz`)).code !== 200) await wait(20)
}

/** Nothing may be written, and nothing read but what the image and its mounts hold. */
const readOnly = ['--permission', `--allow-fs-read=${image}/*`]

t.test('FN-84 built programs start as Deployments start them, read the image alone and write nothing', async t => {
  const host = await started(t, [...readOnly, ...hostArgs, ...reviewer])
  const relay = await started(t, [...readOnly, ...relayArgs, ...inCluster, ...listens, `--host=${host.url}`])
  for (const { url } of [host, relay]) {
    await untilReady(url)
    t.equal((await asked(`${url}/livez`)).code, 200)
    matches(t, await asked(`${url}/metrics`), { code: 200, body: /process_resident_memory_bytes/ })
  }
  matches(t, containerOf('host').securityContext, { readOnlyRootFilesystem: true, runAsUser: 65532 })
  await rejects(t, started(t, [...readOnly, 'dist/host.mjs', `--landscape=${root}/serverless.yml`]), /restricted/)
})

t.test('IS-97 a built host reads the IstioOperators of its image, and starts with none that is broken', async t => {
  const istio = ['dist/host.mjs', ...inCluster, ...hostListens, '--tls=off', '--functions=istio']
  const running = await started(t, [...readOnly, ...istio])
  await running.end()
  const file = join(image, 'dist', 'manifests', 'istio', 'istio-operator-light.yaml')
  const whole = readFileSync(file, 'utf8')
  t.teardown(() => writeFileSync(file, whole))
  writeFileSync(file, 'kind: IstioOperator')
  await rejects(t, started(t, [...readOnly, ...istio]), /istio-operator-light.yaml: it contains no IstioOperator/)
  rmSync(file)
  await rejects(t, started(t, [...readOnly, ...istio]), /istio-operator-light.yaml: ENOENT/)
})

t.test('FN-84 the built agent of runtimes starts as its Deployment starts it, within its memory', async t => {
  const certificate = { 'ca.crt': '', 'tls.crt': '', 'tls.key': '' }
  const limits = { cpu: '100m', memory: '200Mi' }
  const place = { namespace: 'kyma-system', image: 'espalier', eventAddress: '127.0.0.1:1' }
  const agent = { ...place, limits, watchers: [], certificate }
  const { spec } = agentDeployment(agent) as unknown as Workload
  const authority = await newAuthority('klm-watcher')
  const serving = await authority.serving({ dns: ['skr-webhook'] })
  writeFileSync(join(mounted, 'tls.crt'), serving.certificate)
  writeFileSync(join(mounted, 'tls.key'), serving.key)
  const files = [`--ca-cert=${mounted}/ca.crt`, `--tls-cert=${mounted}/tls.crt`, `--tls-key=${mounted}/tls.key`]
  const ports = ['--webhook-port=0', '--metrics-port=0', '--kcp-addr=127.0.0.1:1']
  const args = spec.template.spec.containers[0]?.args ?? []
  const running = await started(t, [...readOnly, ...args, ...inCluster, ...files, ...ports])
  await untilReady(running.url)
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8')) ?? []
  const mebibytes = Number(kibibytes) / 1024
  t.ok(mebibytes > 20 && mebibytes < 150, `${Math.round(mebibytes)} of its 200 MiB`)
})

const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    operation: 'CREATE',
    name: 'garden',
    object: garden(),
    oldObject: null,
    dryRun: false,
    userInfo: {},
    kind: { group: 'operator.gardener.cloud', version: 'v1alpha1', kind: 'Garden' },
    resource: { group: 'operator.gardener.cloud', version: 'v1alpha1', resource: 'gardens' },
  },
}

t.test('FN-84 a built host answers as its sources do', async t => {
  const answers = async ({ url, webhooksUrl }: Running): Promise<Answer[]> => [
    await asked(`${url}/version`),
    await asked(`${url}/livez`),
    await asked(`${url}/openapi.json`),
    await asked(`${webhooksUrl}/webhooks/default-operator-gardener-cloud-v1alpha1-garden`, review),
    await asked(`${webhooksUrl}/webhooks/validate-operator-gardener-cloud-v1alpha1-garden`, review),
    await asked(`${url}/functions/garden-reference`, { namespace: '', name: 'garden' }),
    await asked(`${url}/functions/garden-reference`, { namespace: '', name: 1 }),
  ]
  const built = await answers(await started(t, [...hostArgs, ...reviewer]))
  const codes = built.map(({ code }) => code)
  t.strictSame(codes, [200, 200, 200, 200, 200, 200, 400])
  matches(t, JSON.parse(built[0]?.body ?? ''), { version: manifest.version })
  matches(t, JSON.parse(built[3]?.body ?? '').response, { allowed: true, patchType: 'JSONPatch' })
  const sources = await answers(await started(t, ['shared/main/host.ts', ...reviewer], root))
  const withoutId = ({ code, body }: Answer) => ({ code, body: body.replace(/"requestId":"[^"]*"/, '') })
  t.strictSame(built.map(withoutId), sources.map(withoutId))
})

t.test('FN-84 a built host serves every function, with a kubeconfig and a certificate it keeps itself', async t => {
  const { url } = await started(t, [
    ...hostArgs,
    `--kubeconfig=${kubeconfig}`,
    ...hostListens,
    '--callbacks-listen=127.0.0.1:0',
  ])
  await untilReady(url)
  matches(t, JSON.parse((await asked(`${url}/version`)).body), { functions: Object.keys(landscape.functions) })
  const { namespace } = landscape.provider
  const kept = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'espalier-webhook-certificate' })
  matches(t, kept, { type: 'kubernetes.io/tls' })
})

t.test('FN-84 RE-26 a built host renders charts in a built renderer, and starts none before', async t => {
  const args = [...hostArgs, ...inCluster, ...hostListens, '--tls=off', '--functions=component']
  const { url, pid } = await started(t, args)
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  t.equal(children(), '', 'none is started before something is to be rendered')
  const metadata = { name: 'shop', namespace: 'default' }
  const data = Object.fromEntries(Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text]))
  await client.create({ ...configMap('shop-chart', data), metadata: { ...metadata, name: 'shop-chart' } }, person)
  await client.create(component(metadata, { source: { helm: { configMapRef: { name: 'shop-chart' } } } }), person)
  for (let calls = 0; calls < 5; calls++) await asked(`${url}/functions/component`, metadata)
  const made = await client.get({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata })
  matches(t, made, { data: { greeting: 'hello' } })
  const [renderer = ''] = children().split(' ')
  contains(t, readFileSync(`/proc/${renderer}/cmdline`, 'utf8'), `${image}/dist/renderer.mjs`)
  lacks(t, readFileSync(`/proc/${renderer}/environ`, 'utf8'), secret, 'it knows no secret of its host')
})

t.test('FN-84 built programs take another landscape; a host serves no function it does not have', async t => {
  const file = join(image, 'other.yml')
  const { 'garden-reference': one, 'garden-care': another } = landscape.functions
  const orchard = { ...another, handler: 'functions/orchard/index.orchard' }
  writeFileSync(file, stringify({ ...landscape, functions: { 'garden-reference': one, orchard } }))
  const host = [...hostArgs, ...inCluster, ...hostListens, '--tls=off', `--landscape=${file}`]
  const { url } = await started(t, [...host, '--functions=garden-reference'])
  matches(t, JSON.parse((await asked(`${url}/version`)).body), { functions: ['garden-reference'] })
  await rejects(t, started(t, host), /there is no function orchard: .*index\.ts does not exist/)
  const relay = await started(t, [...relayArgs, ...inCluster, ...listens, `--landscape=${file}`])
  t.equal((await asked(`${relay.url}/livez`)).code, 200, 'another host may have it')
  writeFileSync(file, stringify({ ...landscape, functions: { orchard: { ...orchard, timeout: 0 } } }))
  await rejects(t, started(t, host), /functions\.orchard\.timeout: found 0/)
})

/** Writes the path of every module that is loaded to stderr, in the end those of Node itself too. */
const tellModules = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { writeSync } from 'node:fs'
  registerHooks({ load: (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context) } })
  process.on('exit', () => writeSync(2, process.moduleLoadList.join('\\n') + '\\n'))
`)}`

t.test('a built host loads one function, and nothing it can do without', async t => {
  const one = [...inCluster, ...hostListens, '--tls=off', '--functions=garden-reference']
  const { stderr, end } = await started(t, [tellModules, ...hostArgs, ...one])
  await end('SIGTERM')
  const isNamed = (file: string) => !file.startsWith('chunk-')
  const loaded = stderr.filter(url => url.startsWith(`file://${image}/dist/`)).map(url => url.split('/').at(-1) ?? '')
  t.strictSame(
    loaded.filter(isNamed).map(file => file.replace(/-[A-Z0-9]{8}\.mjs$/, '')),
    ['host.mjs', 'garden-reference'],
  )
  const ofNode = stderr.filter(line => /^NativeModule (http|.*undici)$/.test(line))
  t.strictSame(ofNode, ['NativeModule http'], 'Node itself need not load its fetch')
  const textOf = (file: string) => readFileSync(join(image, 'dist', file), 'utf8')
  const isIn = (files: readonly string[], text: string) => files.some(file => textOf(file).includes(text))
  for (const dear of ['/ajv/dist/', '/yaml/dist/', '/undici/lib/web/fetch/index.js', '/light-my-request/lib/']) {
    t.notOk(isIn(loaded, `node_modules${dear}`), dear)
    const isElsewhere = isIn(globSync('*.mjs', { cwd: join(image, 'dist') }), `node_modules${dear}`)
    t.equal(isElsewhere, !dear.includes('light'), `${dear} is what there is to find`)
  }
})

t.test('FN-84 RE-31 the Dockerfile makes the image by the same script, for an unprivileged user', async t => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const [bases = '', build = '', last = ''] = dockerfile.split(/^FROM /m)
  matches(t, bases, /^ARG BUILD_IMAGE=node:24-/m)
  matches(t, bases, /^ARG BASE_IMAGE=gcr\.io\/distroless\/nodejs24-/m)
  matches(t, build, /^\$\{BUILD_IMAGE\} AS build$/m)
  matches(t, build, /^RUN npm ci --ignore-scripts /m, 'no package runs a script of its own')
  matches(t, build, /^RUN npm run build && chmod -R u=rwX,go=rX LICENSE dist$/m, 'whatever mode the checkout has')
  const copied = [...build.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, from = '']) => from.split(' '))
  t.strictSame(copied, ['package.json', 'package-lock.json', '.npmrc', '.'])
  t.strictSame(
    copied.filter(file => !existsSync(join(root, file))),
    [],
  )
  matches(t, last, /^\$\{BASE_IMAGE\}$/m)
  const taken = [...last.matchAll(/^COPY --from=build \/espalier\/(\S+) (\S+)$/gm)].map(([, from, to]) => [from, to])
  t.strictSame(taken, [
    ['LICENSE', './'],
    ['dist', 'dist'],
  ])
  t.strictSame([join(root, 'LICENSE'), join(image, 'dist', 'host.mjs')].map(existsSync), [true, true])
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n')
  t.strictSame(ignored, ['.git', '.espalier', '.tap', 'dist', 'node_modules'], 'what the build reads comes along')
  matches(t, last, /^USER 65532:65532$/m)
  t.strictSame(JSON.parse(/^CMD (.*)$/m.exec(last)?.[1] ?? ''), hostArgs)
  t.strictSame(globSync('**/node_modules', { cwd: image }), [], 'nothing else is needed')
})
