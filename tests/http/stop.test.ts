import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { contains, lacks, matches, rejects } from '../harness/matches.ts'
import { compileCache } from '../harness/runner/compile-cache.ts'
import { secret } from './host-parts.ts'
import { type Child, call, child, review } from './spawned-host.ts'

const isReady = async ({ functions }: Child): Promise<boolean> => {
  const { statusCode, body } = await functions.request({ method: 'GET', path: '/readyz' })
  await body.dump()
  return statusCode === 200
}

const isBusy = async ({ functions }: Child): Promise<boolean> => {
  const { body } = await functions.request({ method: 'GET', path: '/metrics' })
  return (await body.text()).includes('controller_runtime_active_workers{controller="widget"} 1')
}

/** Between two looks, and between two requests of a load: who asks without a pause takes a processor from all other tests. */
const pauseMilliseconds = 2

/** More time to drain than a busy machine may stop for, also twice: nobody is to knock when it is over. */
const longDrain = { ESPALIER_DRAIN_SECONDS: '10' }

t.test('FN-09 SIGTERM under load: not ready, what is in flight ends, exit 0, no call lost', async t => {
  const host = await child(t, longDrain)
  const statuses: number[] = []
  let isSending = true
  const load = async (name: string): Promise<void> => {
    for (; isSending; await wait(pauseMilliseconds)) statuses.push(await call(host, name))
  }
  const loads = Promise.all(['0', '20', '500', '0', '20'].map(load))
  while (statuses.length < 50) await Promise.race([wait(pauseMilliseconds), loads])
  host.process.kill('SIGTERM')
  while (await isReady(host)) await Promise.race([wait(pauseMilliseconds), loads])
  const before = statuses.length
  while (statuses.length < before + 20) await Promise.race([wait(pauseMilliseconds), loads])
  isSending = false
  await loads
  t.strictSame([...new Set(statuses)], [200])
  t.equal(await host.ended, 0)
})

/** A call that the host was seen to be busy with: on a busy machine one may be over before anybody has looked. */
const seenCall = async (host: Child): Promise<{ inFlight: Promise<number> }> => {
  for (let tries = 1; tries <= 20; tries++) {
    let isOver = false
    const inFlight = call(host, '500').finally(() => {
      isOver = true
    })
    while (!isOver) if (await isBusy(host)) return { inFlight }
    await inFlight
  }
  throw new Error('the host was never seen to be busy')
}

t.test('FN-09 a call in flight at SIGTERM is answered, and no new connection is taken afterwards', async t => {
  const host = await child(t, { ESPALIER_DRAIN_SECONDS: '0' })
  t.equal(await call(host, '0'), 200)
  const { inFlight } = await seenCall(host)
  host.process.kill('SIGTERM')
  t.equal(await inFlight, 200)
  t.equal(await host.ended, 0)
  await rejects(t, call(host, '0'), { code: 'ECONNREFUSED' })
})

t.test('FN-09 a call that does not end is aborted when the grace period is over: exit 0 all the same', async t => {
  const host = await child(t, { ESPALIER_DRAIN_SECONDS: '0', ESPALIER_GRACE_SECONDS: '1' })
  const never = call(host, 'never')
  while (!(await isBusy(host))) await wait(pauseMilliseconds)
  t.equal(await call(host, '0'), 200)
  host.process.kill('SIGTERM')
  await rejects(t, never)
  t.equal(await host.ended, 0)
  t.ok(host.lines.some(({ level, msg }) => level === 'warn' && /aborted/.test(msg)))
})

t.test('RE-18 both hosts are replaced one after the other: no review is lost', async t => {
  const hosts: Child[] = [await child(t, longDrain), await child(t, longDrain)]
  let ready = [...hosts]
  const statuses: number[] = []
  let isSending = true
  let pause = pauseMilliseconds
  const load = async (): Promise<void> => {
    for (let turn = 0; isSending; turn++) {
      const host = ready[turn % ready.length]
      if (host) statuses.push(await review(host))
      await wait(pause)
    }
  }
  const loads = Promise.all([load(), load(), load(), load()])
  const during = async (done: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await done())) await Promise.race([wait(pauseMilliseconds), loads])
  }
  const more = (count: number) => {
    const goal = statuses.length + count
    return during(() => statuses.length >= goal)
  }
  for (const old of hosts) {
    const successor = await child(t)
    ready = [...ready, successor]
    await more(50)
    old.process.kill('SIGTERM')
    await during(async () => !(await isReady(old)))
    ready = ready.filter(host => host !== old)
    await more(50)
  }
  // Both wait for the end of their drain, and nobody calls them any more.
  pause = 50
  t.strictSame(await Promise.all(hosts.map(({ ended }) => ended)), [0, 0])
  await more(50)
  isSending = false
  await loads
  t.strictSame([...new Set(statuses)], [200])
  t.ok(statuses.length > 250)
})

const program = async (args: string[], environment: Record<string, string> = {}) => {
  const started = spawn(process.execPath, [join(import.meta.dirname, '../../shared/main/host.ts'), ...args], {
    env: { ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => started.kill('SIGKILL'))
  const [out, err, [code]] = await Promise.all([text(started.stdout), text(started.stderr), once(started, 'close')])
  return { code: code as number, out, err }
}

t.test('FN-10 the program itself: --help, --print-config, and 1 for what cannot work', async t => {
  const [help, config, wrong, unknown, landless] = await Promise.all([
    program(['--help']),
    program(['--print-config'], { ESPALIER_CALLER_SECRET: secret }),
    program([], { ESPALIER_LISTEN: 'nowhere' }),
    program(['--functions', 'gadget']),
    program(['--landscape', '/nowhere/serverless.yml']),
  ])
  t.equal(help.code, 0)
  contains(t, help.out, '--functions, ESPALIER_FUNCTIONS')
  t.equal(config.code, 0)
  contains(t, config.out, 'callerSecret = ********')
  lacks(t, config.out, secret)
  t.equal(wrong.code, 1)
  matches(t, wrong.err, /--listen is "nowhere": expected :8080 .* ESPALIER_LISTEN/)
  t.equal(unknown.code, 1)
  matches(t, unknown.err, /--functions: unknown gadget; expected some of .*webhook-certificate/)
  t.equal(landless.code, 1)
  contains(t, landless.err, '/nowhere/serverless.yml')
})

t.test('FN-10 a host that cannot open one of its listeners opens none and ends with 1', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const free = '127.0.0.1:0'
  const settings = ['--functions=garden-admission', '--tls=off', '--caller-proof=secret']
  for (const [listen, probes, webhooks] of [
    [free, free, taken],
    [free, taken, free],
    [taken, free, free],
  ]) {
    const listeners = [`--listen=${listen}`, `--probes-listen=${probes}`, `--webhooks-listen=${webhooks}`]
    const { code, err } = await program([...settings, ...listeners], { ESPALIER_CALLER_SECRET: secret })
    t.equal(code, 1)
    t.equal(err, `host: listen EADDRINUSE: address already in use ${taken}\n`)
  }
})
