// A host as a Pod runs it, in whose renderer a chart is rendered that never ends: whatever else the host is there for goes on. That the
// rendering is still under way is seen by its process, which computes.
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { asked } from '../functions/garden-admission/webhooks.ts'
import { type ComponentGround, componentGround } from '../harness/component/component-ground.ts'
import { contains, matches, rejects } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'
import { authorization, type LogLine, secret } from '../http/host-parts.ts'
import { spawnedHost } from '../http/spawned-host.ts'
import { chartFiles, configMap } from '../make/component/component.ts'

const root = join(import.meta.dirname, '..', '..')

type Host = {
  readonly pid: number
  readonly lines: readonly LogLine[]
  /** Its exit code. */
  readonly ended: Promise<number | null>
  end(): void
  get(path: string): Promise<number>
  /** The bytes that it says its renderers hold. */
  rendererBytes(): Promise<number>
  review(): Promise<number>
  /** A call for a Component. */
  call(name: string): Promise<{ status: number; body: unknown }>
}

/** No limit of time is reached while a test runs. */
const unhurried = { ESPALIER_RENDER_SECONDS: '600' }
const landscape = readFileSync(join(root, 'serverless.yml'), 'utf8').replaceAll(/timeout: \d+$/gm, 'timeout: 600')

const startedHost = async (t: Test, { cluster, namespace }: ComponentGround): Promise<Host> => {
  const folder = t.testdir({ kubeconfig: cluster.kubeconfig })
  const file = join(root, 'shared', 'main', 'host.ts')
  const {
    process: started,
    addresses,
    lines,
    ended,
  } = await spawnedHost(t, [file, '--functions=component,garden-admission', '--tls=off'], {
    KUBECONFIG: join(folder, 'kubeconfig'),
    ESPALIER_LANDSCAPE: landscapeIn(folder),
    ESPALIER_LISTEN: free,
    ESPALIER_PROBES_LISTEN: free,
    ESPALIER_WEBHOOKS_LISTEN: free,
    ESPALIER_CALLER_PROOF: 'secret',
    ESPALIER_CALLER_SECRET: secret,
    ESPALIER_DRAIN_SECONDS: '0',
    ESPALIER_GRACE_SECONDS: '1',
    ...unhurried,
  })
  const sent = async (to: string, path: string, payload?: unknown) => {
    const { statusCode: status, body } = await request(`http://127.0.0.1:${addresses[to]?.port}${path}`, {
      ...(payload !== undefined && { method: 'POST', body: JSON.stringify(payload) }),
      headers: { authorization, 'content-type': 'application/json' },
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const text = await body.text()
    return { status, body: status === 200 && to === 'functions' ? JSON.parse(text) : text }
  }
  return {
    pid: started.pid ?? 0,
    lines,
    ended,
    end: () => started.kill('SIGTERM'),
    get: async path => (await sent('probes', path)).status,
    rendererBytes: async () =>
      Number(/^espalier_renderer_resident_memory_bytes (\d+)$/m.exec((await sent('probes', '/metrics')).body)?.[1]),
    review: async () => (await sent('webhooks', webhookPath, asked({}))).status,
    call: name => sent('functions', '/functions/component', { namespace, name }),
  }
}

const person = { fieldManager: 'person' }
const free = '127.0.0.1:0'
const webhookPath = '/webhooks/validate-operator-gardener-cloud-v1alpha1-garden'

const landscapeIn = (folder: string): string => {
  const path = join(folder, 'serverless.yml')
  symlinkSync(join(root, 'functions'), join(folder, 'functions'))
  writeFileSync(path, landscape)
  return path
}

/** Seconds that a process has computed; undefined when it is gone. */
const computed = (pid: number): number | undefined => {
  const fields = fieldsOf(pid)
  return fields && (Number(fields[11]) + Number(fields[12])) / 100
}

/** Of a process, as Linux tells it: what stands behind its name, the state first. */
const fieldsOf = (pid: number): string[] | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(each => Number.isInteger(each) && fieldsOf(each)?.[1] === String(pid))

/** More than a renderer computes to start. */
const startSeconds = 2

/** Resolves with the process of a rendering that goes on and on. */
const underWay = async (host: Host): Promise<number> => {
  let found: number | undefined
  await eventually('a renderer computes', async () => {
    found = childrenOf(host.pid).find(pid => (computed(pid) ?? 0) > startSeconds)
    return found !== undefined
  })
  return found ?? 0
}

const withChart = async (ground: ComponentGround, name: string, files: Readonly<Record<string, string>>) => {
  const data = Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replaceAll('/', '__'), text]))
  await ground.put(configMap(`${name}-chart`, data))
  await ground.create(name, { source: { helm: { configMapRef: { name: `${name}-chart` } } } })
}

/** More than nothing, less than any process of Node takes. */
const bytesOfAProcess = 20 * 2 ** 20

const endless = { ...chartFiles, 'templates/config-map.yaml': '{{ range 1000000000000 }}{{ end }}' }

t.test(
  'RE-26 while a chart renders without end, the host answers probes and webhooks, reconciles other Components, and ends at SIGTERM',
  async t => {
    const ground = await componentGround(t)
    await ground.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'espalier-system' } }, person)
    await withChart(ground, 'endless', endless)
    for (const name of ['one', 'two']) await withChart(ground, name, chartFiles)
    const host = await startedHost(t, ground)
    t.equal(await host.rendererBytes(), 0, 'nothing renders yet')
    let isOver = false
    const call = host.call('endless').finally(() => {
      isOver = true
    })
    call.catch(() => {})
    const renderer = await underWay(host)

    for (let round = 0; round < 10; round++) {
      t.strictSame([await host.get('/livez'), await host.get('/readyz'), await host.get('/metrics')], [200, 200, 200])
      t.equal(await host.review(), 200)
    }
    for (const name of ['one', 'two']) {
      // On a machine with more to do than it can, it may be told to come again.
      await eventually(`${name} is settled`, async () => {
        const { status, body } = await host.call(name)
        t.equal(status, 200)
        return (body as { outcome?: string }).outcome === 'settled'
      })
      matches(t, await ground.live('ConfigMap', name), { data: { greeting: 'hello' } })
    }
    t.ok((await host.rendererBytes()) > bytesOfAProcess, 'the host tells what its renderers hold')
    const before = computed(renderer) ?? 0
    await eventually('the same renderer computes on', async () => (computed(renderer) ?? 0) > before)
    t.equal(isOver, false, 'the rendering goes on all the while')

    host.end()
    t.equal(await host.ended, 0)
    await rejects(t, call)
    contains(t, JSON.stringify(host.lines), 'running calls are aborted')
    await eventually('no renderer is left', async () => computed(renderer) === undefined)
    t.strictSame((await ground.read('endless'))?.status?.inventory ?? [], [], 'nothing was applied of it')
  },
)
