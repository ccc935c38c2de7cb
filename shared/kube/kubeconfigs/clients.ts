// Clients of the clusters that kubeconfigs lead to, kept under a digest so that the same kubeconfig is dialled once. Those
// that are no longer kept are not closed: a call may still use them, and their sockets end by themselves when idle.
import { createHash } from 'node:crypto'
import { BoundedCache } from '../../core/bounded-cache.ts'
import { byteBudget } from '../../core/byte-budget.ts'
import { createClient } from '../client/client.ts'
import type { Client, ClientOptions } from '../client-types.ts'
import { AccessError } from '../errors.ts'
import { receivedBytesMost, remoteLimits } from '../limits.ts'
import { type KubeconfigOptions, parseKubeconfig } from './kubeconfig.ts'

/** `called`: what sentences call it, such as `the kubeconfig in NAMESPACE/NAME`. */
export type Kubeconfig = KubeconfigOptions & { readonly text: string; readonly called: string }

/** The same client for the same kubeconfig; nothing is dialled yet. Throws an AccessError when it is refused. */
export type KubeconfigClients = (kubeconfig: Kubeconfig) => Client

/** Bounds what somebody can fill who changes kubeconfigs all the time. */
const clientsMost = 1_000
/** Of a cluster that is gone nothing shall remain, its credentials least of all. Longer than the time between two sweeps. */
const idleMilliseconds = 7_200_000

/** Calls for a cluster that hangs keep those for others waiting; so it counts as away before long. */
const remoteReadSeconds = 10

/** Of the whole process: clusters of others are refused only what all of them together take from it. */
const received = byteBudget(receivedBytesMost, () => performance.now())

type Kept = { readonly client: Client; readonly usedAt: number }

/** `now` is monotonic. */
export const kubeconfigClients = (options: ClientOptions = {}, now = () => performance.now()): KubeconfigClients => {
  const kept = new BoundedCache<string, Kept>(clientsMost)
  const forgetIdle = (): void => {
    for (const [digest, { usedAt }] of kept.entries()) {
      if (now() - usedAt < idleMilliseconds) return
      kept.delete(digest)
    }
  }
  return kubeconfig => {
    const digest = digestOf(kubeconfig)
    const client = kept.get(digest)?.client ?? clientOf(kubeconfig, options)
    kept.set(digest, { client, usedAt: now() })
    forgetIdle()
    return client
  }
}

const clientOf = ({ text, called, ...options }: Kubeconfig, client: ClientOptions): Client => {
  const verdict = parseKubeconfig(text, options)
  if ('refused' in verdict) throw new AccessError('Refused', `${called} is refused: ${verdict.refused.sentence}`)
  return createClient(
    { ...verdict.access, called },
    { readSeconds: remoteReadSeconds, limits: remoteLimits, receiving: received, ...client },
  )
}

/** Names a client in memory without keeping the credentials a second time. */
const digestOf = ({ text, called, allowedHosts, dialAt }: Kubeconfig): string =>
  createHash('sha256')
    .update(JSON.stringify([text, called, allowedHosts, dialAt]))
    .digest('base64')
