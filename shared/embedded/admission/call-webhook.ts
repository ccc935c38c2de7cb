// Calls one webhook over HTTPS and reads its AdmissionReview. Distinguishes failed calls from webhooks that deny the write.
import { isIPv6 } from 'node:net'
import { Agent } from 'undici'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { errorText } from '../../core/text/error-text.ts'
import { isMap, isTooDeep, type JsonMap, mapOrEmpty, parsedJson, textAt } from '../value.ts'

/** The address of a webhook's Service, or undefined if it has none. 'allows': every write is allowed without a call. */
export type ServiceResolver = (service: ServiceAt) => { host: string; port: number } | 'allows' | undefined

/** With `isNamedByUrl`, the name comes from the host of a URL. If no such Service exists, the URL leads outside of the cluster. */
type ServiceAt = { namespace: string; name: string; port: number; isNamedByUrl?: true }

/** A call that failed. The failurePolicy of the webhook decides whether the write is allowed. */
export class WebhookFailure extends Error {}

export type WebhookCaller = {
  review(webhook: JsonMap, review: JsonMap): Promise<JsonMap>
  close(): void
}

const longestAnswer = 16 * 1024 * 1024

type Target = { url: URL; host: string; port: number }

export const webhookCaller = (resolveService: ServiceResolver): WebhookCaller => {
  const agents = new Map<string, Agent>()
  const agentFor = (ca: string) => {
    // As in Go, a caBundle can be the webhook's own certificate. The certificate must contain the name in the header `host`.
    // `timeoutSeconds` of the webhook ends a call, at most 30 s.
    const connect = { allowH2: false, timeout: 30_000, ...(ca && { ca, allowPartialTrustChain: true }) }
    return keptOrMade(agents, ca, () => new Agent({ maxResponseSize: longestAnswer, connect }))
  }
  return {
    review: async (webhook, review) => {
      const config = mapOrEmpty(webhook.clientConfig)
      const ca = typeof config.caBundle === 'string' ? Buffer.from(config.caBundle, 'base64').toString() : ''
      const target = targetOf(config, resolveService)
      if (target === 'allows') return { uid: textAt(review, 'request', 'uid'), allowed: true }
      const seconds = Number(webhook.timeoutSeconds ?? 10)
      const text = await post(target, JSON.stringify(review), agentFor(ca), seconds)
      return responseOf(text, review)
    },
    close: () => {
      for (const agent of agents.values()) void agent.destroy()
    },
  }
}

const targetOf = (config: JsonMap, resolveService: ServiceResolver): Target | 'allows' => {
  if (typeof config.url === 'string') {
    const url = new URL(config.url)
    if (resolveNamed(url, resolveService) === 'allows') return 'allows'
    return { url, host: url.hostname.replace(/^\[|]$/g, ''), port: Number(url.port || 443) }
  }
  const given = mapOrEmpty(config.service) as { namespace?: string; name?: string; path?: string; port?: number }
  const { namespace = '', name = '', path = '/', port = 443 } = given
  const url = new URL(path.startsWith('/') ? path : `/${path}`, `https://${name}.${namespace}.svc:${port}`)
  const found = resolveService({ namespace, name, port })
  if (found === 'allows') return found
  if (!found)
    throw new WebhookFailure(`failed to call webhook: Post "${url}": service ${JSON.stringify(name)} not found`)
  return { url, ...found }
}

/** In a virtual garden, the host of a URL can name a Service of the cluster in which its API server runs. */
const resolveNamed = ({ hostname, port }: URL, resolveService: ServiceResolver) => {
  const [, name, namespace] = /^([a-z][a-z0-9-]*)\.([a-z][a-z0-9-]*)$/.exec(hostname) ?? []
  return name && namespace
    ? resolveService({ namespace, name, port: Number(port || 443), isNamedByUrl: true })
    : undefined
}

const post = async ({ url, host, port }: Target, body: string, agent: Agent, seconds: number): Promise<string> => {
  url.searchParams.set('timeout', `${seconds}s`)
  const headers = {
    host: url.host,
    'content-type': 'application/json',
    accept: 'application/json, */*',
    'user-agent': 'kube-apiserver-admission',
  }
  const asked = { method: 'POST', path: `${url.pathname}${url.search}`, headers, body } as const
  try {
    const origin = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
    const answer = await agent.request({ ...asked, origin, signal: AbortSignal.timeout(seconds * 1000) })
    const text = await answer.body.text()
    if (answer.statusCode === 200) return text
    const why = `the server responded with the status code ${answer.statusCode} but did not return more information`
    throw new WebhookFailure(`failed to call webhook: ${why}`)
  } catch (error) {
    if (error instanceof WebhookFailure) throw error
    throw new WebhookFailure(`failed to call webhook: Post "${url}": ${wordsOf(error)}`)
  }
}

type NetworkError = NodeJS.ErrnoException & { address?: string; port?: number; errors?: NetworkError[] }

/** Network errors in Go's words, so that users can search for known messages. A name with several addresses fails with an error for each. */
const wordsOf = (error: unknown): string => {
  const { name, errors } = error as NetworkError
  const { code, address = '', port } = errors?.[0] ?? (error as NetworkError)
  if (name === 'AbortError' || name === 'TimeoutError') return 'context deadline exceeded'
  const target = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
  return code === 'ECONNREFUSED' ? `dial tcp ${target}: connect: connection refused` : errorText(error)
}

const responseOf = (text: string, review: JsonMap): JsonMap => {
  const answer = parsed(text)
  const response = isMap(answer) ? answer.response : undefined
  const expected = (apiVersion: unknown, got: string) =>
    new WebhookFailure(`expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${got}`)
  if (!isMap(answer) || !isMap(response)) throw expected('admission.k8s.io/v1', '/, Kind=')
  if (answer.apiVersion !== review.apiVersion || answer.kind !== 'AdmissionReview')
    throw expected(review.apiVersion, `${answer.apiVersion ?? '/'}, Kind=${answer.kind ?? ''}`)
  const uid = textAt(review, 'request', 'uid')
  if (answer.apiVersion === 'admission.k8s.io/v1' && response.uid !== uid)
    throw new WebhookFailure(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`)
  return response
}

const parsed = (text: string): unknown => (isTooDeep(text) ? undefined : parsedJson(text))
