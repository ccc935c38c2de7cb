// Stands in for the injector of istiod, for trying out and testing: a webhook over HTTPS that gives each Pod it is asked about a sidecar,
// which is no Envoy. Which Pods it is asked about, the webhook configurations say. It has an authority of its own, as istiod has.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { jsonPatch } from '../../core/json/json-patch.ts'
import { authority } from '../identity/authority.ts'
import { injected, type Sidecar } from './sidecar.ts'

type InjectorOptions = {
  /** Names and addresses that API servers call it by. */
  readonly hosts: readonly string[]
  /** The sidecar for new Pods. A failure is an answer with status 500. */
  readonly sidecar: () => Promise<Sidecar>
}

export type RunningInjector = {
  /** On 127.0.0.1. */
  readonly port: number
  /** Whom callers have to trust: PEM in base64. */
  readonly caBundle: string
  stop(): void
}

/** Listens on a free port. */
export const startInjector = async ({ hosts, sidecar }: InjectorOptions): Promise<RunningInjector> => {
  const own = authority()
  const server = createServer(own.serving(hosts), (request, response) =>
    answer(request, sidecar).then(
      review => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review)),
      () => response.writeHead(500).end(),
    ),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, caBundle: own.caData, stop }
}

const answer = async (asking: IncomingMessage, sidecar: InjectorOptions['sidecar']) => {
  const { request, ...review } = JSON.parse(await text(asking))
  const patch = jsonPatch(request.object, injected(request.object, await sidecar()))
  const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }
  return { ...review, response }
}
