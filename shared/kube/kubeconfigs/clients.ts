// Keeps one client per kubeconfig, under a digest, so that the same kubeconfig is dialled once. Clients that are forgotten are not
// closed: a call may still use them, and their idle sockets close by themselves.
import { createHash } from 'node:crypto'
import { byteBudget } from '../../core/bounds/byte-budget.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { createClient } from '../client/client.ts'
import type { Client, ClientOptions } from '../client-types.ts'
import { AccessError } from '../errors.ts'
import { mebibyte, receivedBytesMost, remoteAnswerSeconds, remoteLimits } from '../limits.ts'
import { type KubeconfigOptions, parseKubeconfig } from './kubeconfig.ts'

/** `called`: its name in error messages, such as `the kubeconfig in NAMESPACE/NAME`. */
export type Kubeconfig = KubeconfigOptions & { readonly text: string; readonly called: string }

/** The same client for the same kubeconfig; nothing is dialled yet. Throws an AccessError when it is refused. */
export type KubeconfigClients = ((kubeconfig: Kubeconfig) => Client) & { counts(): ClientCounts }

export type ClientCounts = { readonly created: number; readonly active: number }

/** Room for about 1,300 clusters. A forgotten client connects anew and asks again what its cluster serves. */
const keptBytesMost = 128 * mebibyte
/** By measurement: heap, and what OpenSSL holds of the connections. */
const clientBytes = 96 * 1024
/** An unused client is forgotten with its credentials, as its cluster may be gone. Longer than the time between two sweeps. */
const idleMilliseconds = 7_200_000

/** One for the process: answers of all remote clusters share it. */
const received = byteBudget(receivedBytesMost, () => performance.now())

type Kept = { readonly client: Client; readonly usedAt: number; readonly bytes: number }

/** `now` is monotonic. */
export const kubeconfigClients = (options: ClientOptions = {}, now = () => performance.now()): KubeconfigClients => {
  const kept = new BoundedCache<string, Kept>(keptBytesMost, ({ bytes }) => bytes)
  const forgetIdle = (): void => {
    for (const [digest, { usedAt }] of kept.entries()) {
      if (now() - usedAt < idleMilliseconds) return
      kept.delete(digest)
    }
  }
  let created = 0
  const make = (kubeconfig: Kubeconfig & { digest: string }): Client => {
    const client = clientOf(kubeconfig, options)
    created++
    return client
  }
  const of = (kubeconfig: Kubeconfig): Client => {
    const digest = digestOf(kubeconfig)
    const client = kept.get(digest)?.client ?? make({ ...kubeconfig, digest })
    kept.set(digest, { client, usedAt: now(), bytes: clientBytes + kubeconfig.text.length })
    forgetIdle()
    return client
  }
  return Object.assign(of, { counts: () => ({ created, active: [...kept.entries()].length }) })
}

/** For few requests: the caller closes it. */
export const passingClient = (kubeconfig: Kubeconfig, options: ClientOptions = {}): Client =>
  clientOf({ ...kubeconfig, digest: digestOf(kubeconfig) }, options)

const clientOf = (
  { text, called, digest, ...options }: Kubeconfig & { digest: string },
  client: ClientOptions,
): Client => {
  const verdict = parseKubeconfig(text, options)
  if ('refused' in verdict) throw new AccessError('Refused', `${called} is refused: ${verdict.refused.sentence}`)
  return createClient(
    { ...verdict.access, called, digest },
    { readSeconds: remoteAnswerSeconds, limits: remoteLimits, receiving: received, ...client },
  )
}

/** A key for the client that does not keep the credentials a second time. */
const digestOf = ({ text, called, allowedHosts, dialAt }: Kubeconfig): string =>
  createHash('sha256')
    .update(JSON.stringify([text, called, allowedHosts, dialAt]))
    .digest('base64')
