// An agent as it runs in a runtime, a control plane that it tells, and an API server that asks it for reviews: all over TLS.
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { SecureVersion, TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { runtimeWatcher } from '../../../functions/runtime-watcher/index.ts'
import { type RunningAgent, startAgent } from '../../../shared/agent/agent.ts'
import { certificateIn, controlPlane } from '../../../shared/agent/control-plane.ts'
import type { RuntimeEvent } from '../../../shared/api/kyma/runtime-event.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { type Authority, type Certified, newAuthority } from '../../harness/clients/certificates.ts'
import { type StandingRelayClock, standingRelayClock } from '../../harness/standing-clock.ts'
import { type FakeCluster, fakeCluster } from '../relay/fake-cluster.ts'

export type Heard = { path: string; event: RuntimeEvent; caller: string }

export type ControlPlaneStub = {
  readonly port: number
  readonly heard: Heard[]
  /** What every event is answered from here on; undefined: nothing, ever. */
  answer: { status: number; headers?: Record<string, string> } | undefined
  /** The certificate of new connections from here on; the open ones end. */
  shows(certificate: Certified): void
}

/** Its callers show certificates of the authority, or are not heard. */
export const controlPlaneStub = async (t: Test, authority: Authority): Promise<ControlPlaneStub> => {
  const serving = await authority.serving({ ip: ['127.0.0.1'] })
  const stub: Omit<ControlPlaneStub, 'port' | 'shows'> = { heard: [], answer: { status: 200 } }
  const server = createServer(
    { ...tlsOf(serving), ca: authority.certificate, requestCert: true },
    async (asked, answer) => {
      const body = await asked.toArray()
      const caller = String((asked.socket as TLSSocket).getPeerCertificate().subject.CN)
      stub.heard.push({ path: asked.url ?? '', event: JSON.parse(Buffer.concat(body).toString()), caller })
      if (stub.answer) answer.writeHead(stub.answer.status, stub.answer.headers).end()
    },
  )
  const port = await listening(t, server)
  const shows = (certificate: Certified): void => {
    server.setSecureContext({ ...tlsOf(certificate), ca: authority.certificate })
    server.closeAllConnections()
  }
  return Object.assign(stub, { port, shows })
}

const tlsOf = ({ certificate, key }: Certified) => ({ cert: certificate, key })

const listening = async (t: Test, server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

export type Runtime = {
  readonly authority: Authority
  readonly stub: ControlPlaneStub
  readonly agent: RunningAgent
  readonly clock: StandingRelayClock
  /** The answer of the agent to a review. */
  asks(path: string, body: unknown, maxVersion?: SecureVersion): Promise<ReviewReply>
  /** Replaces the certificate in the agent's files. */
  mounts(certificate: Certified): void
  /** The value of a metric of the agent. */
  metric(name: string): Promise<number>
}

export type ReviewReply = { status: number; body: unknown; certificate: string; protocol: string }

export const agentNames = { dns: ['runtime-7'], ip: ['127.0.0.1'], isForClientsToo: true } as const

type Given = { sources?: readonly ('watch' | 'admission')[]; cluster?: FakeCluster }

/** Without a ValidatingWebhookConfiguration in the cluster reviews alone make events. */
export const runtimeWithAgent = async (t: Test, given: Given = {}): Promise<Runtime> => {
  const { sources = ['watch', 'admission'], cluster = fakeCluster() } = given
  const authority = await newAuthority('klm-watcher')
  const stub = await controlPlaneStub(t, authority)
  const folder = t.testdir({})
  const files = {
    authorities: join(folder, 'ca.crt'),
    certificate: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
  }
  const mounts = ({ certificate, key }: Certified): void => {
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of [
      [files.certificate, certificate],
      [files.key, key],
    ] as const) {
      rmSync(file, { force: true })
      writeFileSync(file, text)
    }
  }
  writeFileSync(files.authorities, authority.certificate)
  mounts(await authority.serving(agentNames))
  const log = hostLog('silent')
  const certificate = certificateIn(files, log)
  const clock = standingRelayClock()
  const access = { address: `127.0.0.1:${stub.port}`, contract: 'v2', certificate, userAgent: 'agent' }
  const parts = {
    decides: runtimeWatcher,
    client: cluster.client,
    sources,
    certificate,
    ports: { webhook: 0, metrics: 0 },
    version: '0',
    log,
    clock,
    graceSeconds: 1,
  }
  const agent = await startAgent({ ...parts, controlPlane: controlPlane(access) })
  t.teardown(agent.stop)
  return {
    authority,
    stub,
    agent,
    clock,
    mounts,
    asks: (path, body, maxVersion) =>
      asked({ port: agent.ports.webhook, path, ca: authority.certificate, maxVersion }, JSON.stringify(body)),
    metric: async name => {
      const text = await (await fetch(`http://127.0.0.1:${agent.ports.metrics}/metrics`)).text()
      return Number(
        text
          .split('\n')
          .find(line => line.startsWith(`${name} `))
          ?.split(' ')[1],
      )
    },
  }
}

/** On a connection of its own. */
const asked = async (
  to: { port: number; path: string; ca: string; maxVersion: SecureVersion | undefined },
  body: string,
): Promise<ReviewReply> => {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const asking = request({ ...to, host: '127.0.0.1', method: 'POST', headers, agent: false })
  asking.end(body)
  const [answer] = await once(asking, 'response')
  const socket = answer.socket as TLSSocket
  const seen = { certificate: socket.getPeerX509Certificate()?.toString() ?? '', protocol: socket.getProtocol() ?? '' }
  const text = Buffer.concat(await answer.toArray()).toString()
  return { status: answer.statusCode, body: JSON.parse(text), ...seen }
}
