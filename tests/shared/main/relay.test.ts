// The relay as the program a Pod runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { compileCache } from '../../harness/runner/compile-cache.ts'
import { json, scriptedServer, status } from '../kube/scripted-server.ts'

const root = join(import.meta.dirname, '..', '..', '..')

t.test('RE-104 a relay takes all its shards at once, so a slow API server takes none of them away', async t => {
  let asked = 0
  const allAsked = Promise.withResolvers<void>()
  const server = await scriptedServer(t, ({ method, path, body }, answer) => {
    const name = path.split('/').at(-1)
    if (name !== 'leases') return json(answer, 404, status(404, 'NotFound', { name }))
    const lease = body as KubeObject | undefined
    if (method === 'POST' && lease?.metadata.name.includes('-shard-')) {
      answer.once('close', () => allAsked.reject(new Error(`given up when ${asked} shards were asked for`)))
      if (++asked === 8) allAsked.resolve()
    } else json(answer, 200, lease ?? { kind: 'LeaseList', metadata: {}, items: [] })
  })
  const folder = t.testdir({ token: 'of-the-relay' })
  writeFileSync(join(folder, 'ca.crt'), '')
  const flags = ['--listen=127.0.0.1:0', '--host=http://127.0.0.1:1', '--caller-proof=secret', '--shards=8']
  const access = [`--api-server=${server.url}`, `--service-account=${folder}`]
  const child = spawn(process.execPath, ['shared/main/relay.ts', ...flags, ...access], {
    cwd: root,
    env: { PATH: process.env.PATH, ESPALIER_CALLER_SECRET: 'x'.repeat(40), ...compileCache },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the relay ended with ${code}`)))
  await t.resolves(Promise.race([allAsked.promise, ended]))
})
