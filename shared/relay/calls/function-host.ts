// Sends requests to hosts: `POST /functions/NAME` with a key, and `POST /functions/NAME/keys` with an object. Decides by the answer what
// happens to the key.
import { isIPv6 } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { quietHeader, waitingHeader } from '../../api/calls.ts'
import type { Outcome, OutcomeName } from '../../core/decisions/outcome.ts'
import { isMap, parsedJson } from '../../core/json/json.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { type Key, type KubeObject, keyText } from '../../core/objects/object.ts'
import { type NoteSpan, newTrace, type Span, spanned } from '../../trace/trace.ts'
import type { WorkResult } from '../queue/queue.ts'
import { HostAddresses } from './host-addresses.ts'

export type HostAccess = {
  urlOf(functionName: string): string
  /** Called for each request, because kubelet replaces projected tokens. */
  token(): Promise<string>
  /** PEM of the authorities that sign hosts' certificates, or a function that returns the PEM. Default: the system's authorities. */
  authorities?: string | (() => string | undefined)
  /** Absent: no tracing. */
  noteSpan?: NoteSpan | undefined
}

/** `body` is undefined when it is not JSON. */
export type HostReply = { status: number; body: unknown; retryAfterSeconds?: number }

/** `call` and `keys` reject if no answer arrives. */
export type Host = {
  call(functionName: string, call: HostCall, asking: Asking): Promise<HostReply>
  keys(functionName: string, question: KeysRequest, signal: AbortSignal): Promise<HostReply>
  close(): Promise<void>
}

/** `isQuiet`: the last call for the key settled, and no event arrived for the key since. `waiting`: the number of other ready keys. */
type HostCall = Key & { isQuiet: boolean; waiting: number }

/** `waits` is called when the host reports (102 Processing) that the call waits for a registry or a remote cluster. */
type Asking = { signal: AbortSignal; waits?: () => void }

export type KeysRequest = { object: KubeObject; type: 'ADDED' | 'MODIFIED' | 'DELETED' }

const mebibyte = 2 ** 20

export const createHost = (access: HostAccess, addresses = new HostAddresses()): Host => {
  const agents = createAgents()
  const post = async (
    functionName: string,
    { path, body, headers: given }: Posted,
    { signal, waits }: Asking,
  ): Promise<HostReply> => {
    const { authorities } = access
    const url = new URL(access.urlOf(functionName))
    const agent = agents.of(url.host, typeof authorities === 'function' ? authorities() : authorities)
    const trace = newTrace()
    const headers = {
      // The host's certificate must contain this name, not the address.
      host: url.host,
      authorization: `Bearer ${await access.token()}`,
      'content-type': 'application/json',
      traceparent: trace.traceparent,
      ...given,
    }
    const onInfo = ({ statusCode }: { statusCode: number }) => void (statusCode === 102 && waits?.())
    const request = { path, method: 'POST', headers, body: JSON.stringify(body), signal, onInfo } as const
    const asked = addresses.call(url.hostname.replaceAll(/^\[|\]$/g, ''), async address =>
      replyFrom(await agent.request({ ...request, origin: originAt(url, address) })),
    )
    const { noteSpan } = access
    if (!noteSpan) return asked
    const note = (span: Span): void => noteSpan(span, trace)
    return spanned(asked, { name: `POST ${path}`, kind: 'client', note, says: reply => said(reply, body) })
  }
  return {
    call: (name, { namespace, name: object, isQuiet, waiting }, asking) => {
      const headers = { [waitingHeader]: String(waiting), ...(isQuiet && { [quietHeader]: 'true' }) }
      return post(name, { path: `/functions/${name}`, body: { namespace, name: object }, headers }, asking)
    },
    keys: (name, { object, type }, signal) =>
      post(name, { path: `/functions/${name}/keys`, body: { object: withoutSecrets(object), type } }, { signal }),
    close: agents.close,
  }
}

const said = ({ status }: HostReply, body: object): Pick<Span, 'attributes' | 'fault'> => ({
  attributes: {
    'http.response.status_code': String(status),
    ...('name' in body && { 'espalier.object': keyText(body as Key) }),
  },
  fault: status >= 400 ? String(status) : undefined,
})

type Posted = { path: string; body: object; headers?: Readonly<Record<string, string>> }

const originAt = ({ protocol, port }: URL, address: string): string =>
  `${protocol}//${isIPv6(address) ? `[${address}]` : address}${port && `:${port}`}`

type Agents = { of(name: string, authorities: string | undefined): Agent; close(): Promise<void> }

/** One agent per name, because a connection uses one name. New authorities replace all agents. Running calls continue on old agents. */
const createAgents = (): Agents => {
  let trusted: string | undefined
  const agents = new Map<string, Agent>()
  const closeAll = async () => {
    const all = [...agents.values()]
    agents.clear()
    await Promise.all(all.map(agent => agent.close()))
  }
  return {
    of: (name, authorities) => {
      if (trusted !== authorities) void closeAll()
      trusted = authorities
      return keptOrMade(agents, name, () => newAgent(authorities))
    },
    close: closeAll,
  }
}

/** No timeouts here, because each call's own signal ends it after the function's `timeout`. */
const newAgent = (authorities: string | undefined): Agent =>
  new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: 8 * mebibyte,
    connect: { timeout: 5_000, ca: authorities },
  })

const replyFrom = async (answer: Dispatcher.ResponseData): Promise<HostReply> => {
  const retryAfterSeconds = secondsIn(answer.headers['retry-after'])
  const body = parsedJson(await answer.body.text())
  return { status: answer.statusCode, body, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}

/** `Retry-After` in seconds. Our hosts send no dates. */
const secondsIn = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : undefined

/** Removes the data of Secrets, because functions only need metadata to map objects to keys. */
const withoutSecrets = (object: KubeObject): KubeObject => {
  if (object.kind !== 'Secret') return object
  const { data: _data, stringData: _stringData, ...kept } = object
  const { [lastApplied]: _lastApplied, ...annotations } = object.metadata.annotations ?? {}
  return { ...kept, metadata: { ...object.metadata, annotations } }
}

/** kubectl stores a copy of the whole object here, including data. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

type Row = (requeueAfterSeconds: number | undefined) => WorkResult

const rows: Record<OutcomeName, Row> = {
  settled: seconds => (seconds === undefined ? { is: 'done' } : { is: 'again', seconds, isSettled: true }),
  waiting: seconds => (seconds === undefined ? { is: 'failed' } : { is: 'again', seconds }),
  stalled: () => ({ is: 'done' }),
  failed: seconds => (seconds === undefined ? { is: 'failed' } : { is: 'failed', seconds }),
}

/** `fault`: the fault of the reply, for the log. */
export const resultOfReply = (reply: HostReply): { verdict: WorkResult; fault?: string } => {
  if (reply.status !== 200) return { verdict: failedReply(reply), fault: `HTTP ${reply.status}` }
  const outcome = outcomeIn(reply.body)
  if (outcome === undefined)
    return { verdict: { is: 'failed' }, fault: 'the response of the function is not a valid outcome' }
  const verdict = withWrites(rows[outcome.outcome](outcome.requeueAfterSeconds), outcome)
  return outcome.outcome === 'failed' ? { verdict, fault: outcome.reason ?? 'failed' } : { verdict }
}

/** After a failed call, events of its own writes are not skipped, so any event calls the key again. */
const withWrites = (verdict: WorkResult, { wrote = [] }: Outcome): WorkResult =>
  wrote.length === 0 || verdict.is === 'failed' ? verdict : { ...verdict, wrote }

/** For any status except 200: repeat, but not before `Retry-After`. `Retry-After: 0` counts as absent. */
export const failedReply = ({ retryAfterSeconds = 0 }: HostReply): WorkResult =>
  retryAfterSeconds === 0 ? { is: 'failed' } : { is: 'failed', heldSeconds: retryAfterSeconds }

const outcomeIn = (body: unknown): Outcome | undefined => {
  if (!isMap(body) || typeof body.outcome !== 'string' || !Object.hasOwn(rows, body.outcome)) return undefined
  const { outcome, requeueAfterSeconds: seconds, reason, wrote } = body
  if (seconds !== undefined && !(typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)))
    return undefined
  if (!areTexts(wrote)) return undefined
  return {
    outcome: outcome as OutcomeName,
    ...(seconds === undefined ? {} : { requeueAfterSeconds: seconds }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(wrote === undefined ? {} : { wrote }),
  }
}

const areTexts = (value: unknown): value is string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(item => typeof item === 'string'))
