// Sends requests to hosts: `POST /functions/NAME` with a key, and `POST /functions/NAME/keys` with an object. outcomes.ts tells what an
// answer means.
import { randomBytes } from 'node:crypto'
import { Agent, type Dispatcher } from 'undici'
import type { Key, KubeObject } from '../../core/object.ts'

export type HostAccess = {
  /** Base URL of the host that serves this function. */
  urlOf(functionName: string): string
  /** Asked for every call: projected tokens are replaced while we run. */
  token(): Promise<string>
  /** PEM of the authorities that sign hosts' certificates, or where it is asked for; absent: those the system trusts. */
  authorities?: string | (() => string | undefined)
}

/** Any answer; `body` is undefined when it was no JSON. */
export type HostReply = { status: number; body: unknown; retryAfterSeconds?: number }

/** Both reject when no answer came. */
export type Host = {
  call(functionName: string, key: Key, signal: AbortSignal): Promise<HostReply>
  keys(functionName: string, question: KeysRequest, signal: AbortSignal): Promise<HostReply>
  close(): Promise<void>
}

export type KeysRequest = { object: KubeObject; type: 'ADDED' | 'MODIFIED' | 'DELETED' }

const mebibyte = 2 ** 20

/** Connections are opened as calls need them and kept. */
export const createHost = (access: HostAccess): Host => {
  const agents = createAgents()
  const post = async (functionName: string, { path, body }: Posted, signal: AbortSignal): Promise<HostReply> => {
    const { authorities } = access
    const agent = agents.trusting(typeof authorities === 'function' ? authorities() : authorities)
    const headers = {
      authorization: `Bearer ${await access.token()}`,
      'content-type': 'application/json',
      traceparent: newTrace(),
    }
    const origin = access.urlOf(functionName)
    return replyFrom(await agent.request({ origin, path, method: 'POST', headers, body: JSON.stringify(body), signal }))
  }
  return {
    call: (name, { namespace, name: object }, signal) =>
      post(name, { path: `/functions/${name}`, body: { namespace, name: object } }, signal),
    keys: (name, { object, type }, signal) =>
      post(name, { path: `/functions/${name}/keys`, body: { object: withoutSecrets(object), type } }, signal),
    close: agents.close,
  }
}

type Posted = { path: string; body: object }

type Agents = { trusting(authorities: string | undefined): Agent; close(): Promise<void> }

/** One agent at a time: when the authorities change, what is under way ends on its old connections. */
const createAgents = (): Agents => {
  let current: { authorities: string | undefined; agent: Agent } | undefined
  return {
    trusting: authorities => {
      if (current && current.authorities === authorities) return current.agent
      void current?.agent.close()
      current = { authorities, agent: newAgent(authorities) }
      return current.agent
    },
    close: async () => current?.agent.close(),
  }
}

/** The callers' signals end calls, so that a function may take as long as serverless.yml grants it. */
const newAgent = (authorities: string | undefined): Agent =>
  new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: 8 * mebibyte,
    connect: { timeout: 5_000, ca: authorities },
  })

const replyFrom = async (answer: Dispatcher.ResponseData): Promise<HostReply> => {
  const retryAfterSeconds = secondsIn(answer.headers['retry-after'])
  const body = parsed(await answer.body.text())
  return { status: answer.statusCode, body, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds only: our host sends no dates. */
const secondsIn = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined

/** Functions map objects by name, labels and the like; the content of a Secret stays between it and the API server. */
const withoutSecrets = (object: KubeObject): KubeObject => {
  if (object.kind !== 'Secret') return object
  const { data: _data, stringData: _stringData, ...kept } = object
  const { [lastApplied]: _lastApplied, ...annotations } = object.metadata.annotations ?? {}
  return { ...kept, metadata: { ...object.metadata, annotations } }
}

/** kubectl keeps a copy of the whole object here, data included. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** A trace begins with the relay's call: watch events carry none. */
const newTrace = (): string => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
