// Hosts that a test starts as processes, and the host of host-child.ts, which a test calls.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { Pool } from 'undici'
import { compileCache } from '../harness/runner/compile-cache.ts'
import { authorization, type LogLine, secret, widget } from './host-parts.ts'

/** As `npm run host` runs it. */
const hostFlags = ['--max-semi-space-size=2']

export type SpawnedHost = {
  process: ChildProcess
  lines: LogLine[]
  addresses: Record<string, { port: number }>
  ended: Promise<number | null>
}

/** Resolves when the host listens. */
export const spawnedHost = async (t: Test, args: readonly string[], env: NodeJS.ProcessEnv): Promise<SpawnedHost> => {
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  t.teardown(() => started.kill('SIGKILL'))
  const lines: LogLine[] = []
  const ended = once(started, 'close').then(([code]) => code as number | null)
  const listening = Promise.withResolvers<SpawnedHost['addresses']>()
  createInterface({ input: started.stdout }).on('line', line => {
    const entry = JSON.parse(line) as LogLine
    lines.push(entry)
    if (entry.msg === 'listening') listening.resolve(entry.addresses as SpawnedHost['addresses'])
  })
  ended.then(code => listening.reject(new Error(`the host ended with ${code}`)))
  return { process: started, lines, addresses: await listening.promise, ended }
}

export type Child = Omit<SpawnedHost, 'addresses'> & {
  functions: Pool
  webhooks: Pool
  ports: Record<string, number | undefined>
}

/** `ca`: of the certificate its webhooks show. */
export const child = async (t: Test, environment: Record<string, string> = {}, ca?: string): Promise<Child> => {
  const { addresses, ...host } = await spawnedHost(t, [...hostFlags, join(import.meta.dirname, 'host-child.ts')], {
    ...compileCache,
    ESPALIER_LISTEN: '127.0.0.1:0',
    ESPALIER_WEBHOOKS_LISTEN: '127.0.0.1:0',
    ESPALIER_PROBES_LISTEN: '',
    ESPALIER_TLS: 'off',
    ESPALIER_CALLER_PROOF: 'secret',
    ESPALIER_CALLER_SECRET: secret,
    ESPALIER_DRAIN_SECONDS: '1',
    ESPALIER_GRACE_SECONDS: '20',
    ...environment,
  })
  const ports = { functions: addresses.functions?.port, webhooks: addresses.webhooks?.port }
  const pool = (name: keyof typeof ports, scheme = 'http') => {
    const opened = new Pool(`${scheme}://127.0.0.1:${ports[name]}`, { connections: 8, connect: { ca } })
    t.teardown(() => opened.destroy())
    return opened
  }
  const webhooks = pool('webhooks', ca && 'https')
  return { ...host, functions: pool('functions'), webhooks, ports }
}

export const call = async ({ functions }: Child, name: string): Promise<number> => {
  const { statusCode, body } = await functions.request({
    method: 'POST',
    path: '/functions/widget',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ namespace: 'n', name }),
  })
  await body.dump()
  return statusCode
}

export const review = async ({ webhooks }: Child): Promise<number> => {
  const request = {
    uid: 'u',
    operation: 'CREATE',
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    object: widget('a', { size: 1 }),
  }
  const { statusCode, body } = await webhooks.request({
    method: 'POST',
    path: '/webhooks/widget',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }),
  })
  await body.dump()
  return statusCode
}
