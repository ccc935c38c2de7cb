// A client that reads and writes one Secret every second, and notes complaints of a user of the cluster: refused calls, untrusted certificates, a
// Secret that cannot be decrypted, slow calls. It retries refused connections and 5xx answers, as clients of Kubernetes do. It keeps labels that
// others set on the Secret.
import { setTimeout as wait } from 'node:timers/promises'
import { type Dispatcher, errors, Pool } from 'undici'
import { thisMoment } from '../standing-clock.ts'
import type { Credentials } from './kubeconfig.ts'

export type SteadyAccess = {
  readonly port: number
  /** PEM text of all authorities that are trusted. */
  readonly ca: string
  readonly credentials: Credentials
}

export type SteadyClient = {
  /** What went wrong, a sentence each. */
  readonly complaints: readonly string[]
  /** Calls that succeeded. */
  readonly succeeded: number
  /** Uses this from the next call on. */
  use(access: SteadyAccess): void
  stop(): Promise<void>
}

const periodMilliseconds = 1000
/** Counted on the clock of this process, so a machine that stands still for half a minute fails no call. */
const patienceMilliseconds = 10_000
/** The timeout for the head of an answer. An earlier answer is a complaint too if it took longer than the patience. */
const longestMilliseconds = 60_000
const pauseMilliseconds = 100

/** Begins at once. The Secret `default/steady` must exist. */
export function steadyClient(first: SteadyAccess): SteadyClient {
  const abort = new AbortController()
  const complaints: string[] = []
  let [access, succeeded, labels] = [first, 0, {}]

  const oneCall = async (method: 'GET' | 'PUT'): Promise<void> => {
    const began = thisMoment().ownMilliseconds
    const took = () => thisMoment().ownMilliseconds - began
    let latest: Attempt = { is: 'again', text: 'not tried' }
    while (latest.is === 'again' && took() < patienceMilliseconds) {
      if (latest.text !== 'not tried') await wait(pauseMilliseconds)
      latest = await attempt(access, method, labels)
    }
    if (latest.is === 'good' && took() <= patienceMilliseconds) {
      succeeded++
      labels = labelsIn(latest.text)
    } else complaints.push(`${new Date().toISOString()} ${method}: ${latest.text}, after ${took()} ms`)
  }

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const next = Date.now() + periodMilliseconds
      await oneCall('GET')
      await oneCall('PUT')
      await wait(Math.max(0, next - Date.now()))
    }
  }

  const running = run()
  return {
    complaints,
    get succeeded() {
      return succeeded
    },
    use: now => {
      access = now
    },
    stop: () => {
      abort.abort()
      return running
    },
  }
}

type Attempt = { readonly is: 'good' | 'again' | 'bad'; readonly text: string }

/** Uses a new connection, so that certificates are checked in every call. */
const attempt = async (
  { port, ca, credentials }: SteadyAccess,
  method: 'GET' | 'PUT',
  labels: object,
): Promise<Attempt> => {
  const { certificate: cert, key } =
    'certificate' in credentials ? credentials : { certificate: undefined, key: undefined }
  const pool = new Pool(`https://127.0.0.1:${port}`, { connections: 1, connect: { ca, cert, key } })
  try {
    return await judged(await pool.request(requestOf(method, credentials, labels)))
  } catch (error) {
    return { is: isConnectionGone(error) ? 'again' : 'bad', text: String(error) }
  } finally {
    await pool.destroy()
  }
}

const requestOf = (method: 'GET' | 'PUT', credentials: Credentials, labels: object): Dispatcher.RequestOptions => ({
  method,
  path: '/api/v1/namespaces/default/secrets/steady',
  headersTimeout: longestMilliseconds,
  headers: {
    'content-type': 'application/json',
    ...('token' in credentials && { authorization: `Bearer ${credentials.token}` }),
  },
  ...(method === 'PUT' && {
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'steady', namespace: 'default', labels },
      stringData: { written: new Date().toISOString() },
    }),
  }),
})

const judged = async ({ statusCode, body }: Dispatcher.ResponseData): Promise<Attempt> => {
  const answer = await body.text()
  const text = `${statusCode} ${answer}`
  if (statusCode < 300) return { is: 'good', text: answer }
  const isUnreadable = /transform|decrypt/.test(text)
  return { is: statusCode >= 500 && !isUnreadable ? 'again' : 'bad', text }
}

/** Failed TLS has another code. */
const isConnectionGone = (error: unknown): boolean =>
  error instanceof errors.SocketError ||
  (error instanceof Error && 'code' in error && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(String(error.code)))

const labelsIn = (secret: string): object =>
  (JSON.parse(secret) as { metadata: { labels?: object } }).metadata.labels ?? {}
