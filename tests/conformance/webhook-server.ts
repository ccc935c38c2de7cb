// A webhook server for the cases: what it answers is told by the case, and it remembers who asked.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { newAuthority } from '../harness/clients/certificates.ts'
import type { Hook } from './cases.ts'

export type WebhookServer = {
  readonly url: string
  /** PEM in base64. */
  readonly caBundle: string
  /** Says how the webhooks of a case answer. */
  add(owner: string, hooks: Readonly<Record<string, Hook>>): void
  /** The calls of a case's webhooks since the last time this was asked. */
  takeCalls(owner: string): string[]
}

type Review = {
  readonly request: {
    readonly uid: string
    readonly operation: string
    readonly resource: { readonly resource: string; readonly version: string }
    readonly subResource?: string
    readonly name?: string
    readonly object: { readonly metadata?: { readonly name?: string } } | null
    readonly oldObject: unknown
    readonly dryRun: boolean
  }
  readonly apiVersion: string
}

/** A webhook that denies everything: with it a configuration shows that it counts. */
export const readyHook = 'ready'
/** The name of the object with which that is tried. */
export const probeName = 'probe'
/** Objects that nobody in a case wrote. */
const unseen = [probeName, 'kube-root-ca.crt']

/** Serves until the test ends. */
export const webhookServer = async (t: Pick<Test, 'teardown'>): Promise<WebhookServer> => {
  const authority = await newAuthority('conformance webhooks')
  const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
  const hooks = new Map<string, Hook>()
  const calls = new Map<string, string[]>()
  const server = createServer({ cert: certificate, key }, (request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const review = await reviewIn(request)
    const [, owner = '', name = ''] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    if (!unseen.includes(nameOf(review))) calls.set(owner, [...(calls.get(owner) ?? []), callText(name, review)])
    const hook = name === readyHook ? { allowed: false } : hooks.get(`${owner}/${name}`)
    if (hook?.silent) return
    response.writeHead(hook?.code ?? 200, { 'content-type': 'application/json' })
    response.end(typeof hook?.raw === 'string' ? hook.raw : JSON.stringify(hook?.raw ?? replyTo(review, hook)))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    add: (owner, added) => {
      for (const [name, hook] of Object.entries(added)) hooks.set(`${owner}/${name}`, hook)
    },
    takeCalls: owner => {
      const taken = calls.get(owner) ?? []
      calls.delete(owner)
      return taken
    },
  }
}

const reviewIn = async (request: IncomingMessage): Promise<Review> => {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return JSON.parse(text)
}

const nameOf = ({ request }: Review): string => request.name || request.object?.metadata?.name || ''

const callText = (hook: string, review: Review): string => {
  const { operation, resource, subResource, object, oldObject, dryRun } = review.request
  const target = [resource.resource, subResource].filter(Boolean).join('/')
  const sides = `${object ? 'new' : ''}${oldObject ? ' old' : ''}`.trim()
  return `${hook}: ${operation} ${target} ${nameOf(review)} (${sides}${dryRun ? ', dry run' : ''})`
}

const replyTo = ({ apiVersion, request }: Review, hook: Hook = {}): unknown => ({
  kind: 'AdmissionReview',
  apiVersion,
  response: {
    uid: request.uid,
    allowed: hook.allowed ?? true,
    ...(hook.status !== undefined && { status: hook.status }),
    ...(hook.warnings && { warnings: hook.warnings }),
    ...(hook.patch !== undefined && {
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(hook.patch)).toString('base64'),
    }),
  },
})
