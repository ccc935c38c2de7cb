// The host as the program a Pod runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Writes the URL of every module that is loaded to stderr. */
const tellModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { writeSync } from 'node:fs'
  registerHooks({ load: (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context) } })
`)}`

/** What costs memory and time, and is of use only to some. */
const dear = ['@kubernetes/client-node', 'shared/embedded/', 'shared/relay/', 'shared/api/garden/crd.ts']

t.test('a host that starts in a cluster loads nothing it can do without', async t => {
  const cluster = await startEmbeddedCluster()
  t.teardown(cluster.stop)
  const mounted = t.testdir({ token: cluster.adminToken })
  writeFileSync(join(mounted, 'ca.crt'), cluster.caCert)
  const flags = ['--listen=127.0.0.1:0', '--probes-listen=', '--tls=off', '--caller-proof=secret', '--drain-seconds=0']
  const access = [`--api-server=${cluster.url}`, `--service-account=${mounted}`]
  const child = spawn(
    process.execPath,
    [`--import=${tellModules}`, 'shared/main/host.ts', '--functions=garden-reference', ...flags, ...access],
    {
      cwd: root,
      env: { PATH: process.env.PATH, ESPALIER_CALLER_SECRET: 'x'.repeat(40) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  t.teardown(() => child.kill('SIGKILL'))
  const loaded: string[] = []
  const told = createInterface({ input: child.stderr }).on('line', line => loaded.push(line))
  const allTold = once(told, 'close')
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"listening"')) break
  child.kill('SIGKILL')
  await allTold
  t.ok(
    loaded.some(url => url.endsWith('/shared/http/app.ts')),
    'modules are seen',
  )
  for (const module of dear)
    t.strictSame(
      loaded.filter(url => url.includes(module)),
      [],
      module,
    )
})
