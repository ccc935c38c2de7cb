// Caches one client per kubeconfig, by digest. Dropped clients are not closed, because a call may still use them. Idle sockets of dropped
// clients close by themselves.
import { createHash } from 'node:crypto'
import { byteBudget } from '../../core/bounds/bytes.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { createClient } from '../client/client.ts'
import type { Client, ClientOptions } from '../client-types.ts'
import { AccessError } from '../errors.ts'
import { mebibyte, receivedBytesMost, remoteAnswerSeconds, remoteLimits } from '../limits.ts'
import { type KubeconfigOptions, parseKubeconfig } from './kubeconfig.ts'

/** `called`: the name in messages, such as `the kubeconfig in NAMESPACE/NAME`. */
export type Kubeconfig = KubeconfigOptions & { readonly text: string; readonly called: string }

/** Returns the same client for the same kubeconfig, without connecting. Throws an AccessError for a refused kubeconfig. */
export type KubeconfigClients = ((kubeconfig: Kubeconfig) => Client) & { counts(): ClientCounts }

export type ClientCounts = { readonly created: number; readonly active: number }

/** Enough for about 3,800 clusters. A dropped client must connect and discover kinds again. */
const keptBytesMost = 128 * mebibyte
/** The measured size of a client without open sockets: heap, and OpenSSL's memory for certificates. */
const clientBytes = 32 * 1024
/** Clients are dropped when unused for this time, because the cluster may be gone. The time is longer than the time between two sweeps. */
const idleMilliseconds = 7_200_000

/** The memory budget that the answers of all remote clusters share. */
const received = byteBudget(receivedBytesMost, () => performance.now())

type Kept = { readonly client: Client; readonly usedAt: number; readonly bytes: number }

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

/** An uncached client for few requests. The caller closes it. */
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

/** The cache key. A digest, so that credentials are not stored twice. */
const digestOf = ({ text, called, allowedHosts, dialAt }: Kubeconfig): string =>
  createHash('sha256')
    .update(JSON.stringify([text, called, allowedHosts, dialAt]))
    .digest('base64')
