// A real registry (distribution), for tests that also run on the real control plane. Tests push into it by plain HTTP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hash } from 'bcryptjs'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { digestOf } from '../../make/artifact.ts'
import { isRealCluster } from '../clusters/any-cluster.ts'
import { registryProgram } from '../control-plane/binaries.ts'
import { startLifelined } from '../processes/bound-processes.ts'
import { freePorts } from '../processes/ports.ts'
import { usualSeconds } from '../until.ts'
import { standInRegistry, type TestRegistry } from './registry.ts'

export type User = { readonly username: string; readonly password: string }

/** The stand-in by default, the real registry beside the real control plane. It asks for credentials if there is a user. */
export const anyRegistry = (t: Test, user?: User): Promise<TestRegistry> =>
  isRealCluster ? realRegistry(t, user) : standInRegistry(t, user && { ...user, by: 'basic' })

/** Lasts as long as the test. */
const realRegistry = async (t: Test, user?: User): Promise<TestRegistry> => {
  const [port] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'espalier-registry-'))
  const host = `127.0.0.1:${port}`
  const config = join(folder, 'config.yml')
  if (user) writeFileSync(join(folder, 'htpasswd'), `${user.username}:${await hash(user.password, 4)}\n`)
  writeFileSync(config, stringify(configuration(host, user && join(folder, 'htpasswd'))))
  const registry = startLifelined({ program: registryProgram(), args: ['serve', config] })
  t.teardown(async () => {
    await registry.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })
  const authorization = user && `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`
  const ask = asking(`http://${host}`, authorization)
  await untilServing(ask)
  return { host, push: (repository, tag, artifact) => push(ask, { repository, tag, artifact }) }
}

const configuration = (addr: string, htpasswd: string | undefined) => ({
  version: '0.1',
  log: { level: 'warn' },
  storage: { inmemory: {} },
  http: { addr },
  ...(htpasswd && { auth: { htpasswd: { realm: 'tests', path: htpasswd } } }),
})

type Ask = (method: string, path: string, body?: { type: string; content: Buffer }) => Promise<Response>

const asking =
  (origin: string, authorization: string | undefined): Ask =>
  (method, path, body) =>
    fetch(new URL(path, origin), {
      method,
      headers: { ...(authorization && { authorization }), ...(body && { 'content-type': body.type }) },
      body: body && new Uint8Array(body.content),
    })

const untilServing = async (ask: Ask): Promise<void> => {
  for (const signal = AbortSignal.timeout(usualSeconds * 1000); ; signal.throwIfAborted()) {
    const answer = await ask('GET', '/v2/').catch(() => undefined)
    if (answer?.ok) return
    await wait(50)
  }
}

type Push = { repository: string; tag: string; artifact: Parameters<TestRegistry['push']>[2] }

const push = async (ask: Ask, { repository, tag, artifact }: Push): Promise<string> => {
  for (const content of artifact.blobs) {
    const begun = expected(await ask('POST', `/v2/${repository}/blobs/uploads/`), 202)
    const place = new URL(begun.headers.get('location') ?? '', begun.url)
    place.searchParams.set('digest', digestOf(content))
    expected(await ask('PUT', place.href, { type: 'application/octet-stream', content }), 201)
  }
  const { mediaType, body } = artifact.manifest
  expected(await ask('PUT', `/v2/${repository}/manifests/${tag}`, { type: mediaType, content: body }), 201)
  return digestOf(body)
}

const expected = (answer: Response, status: number): Response => {
  if (answer.status === status) return answer
  throw new Error(`the registry answered ${answer.status} to ${answer.url}`)
}
