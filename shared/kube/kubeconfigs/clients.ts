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
export type KubeconfigClients = (kubeconfig: Kubeconfig) => Client

/**
 * For thousands of clusters, each of which is called every few minutes, and far fewer of those whose kubeconfigs are as large as they may
 * be. A client that was forgotten connects anew and asks again what its cluster serves.
 */
const keptBytesMost = 64 * mebibyte
/** By measurement, beside the certificates of the kubeconfig. */
const clientBytes = 8 * 1024
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
  return kubeconfig => {
    const digest = digestOf(kubeconfig)
    const client = kept.get(digest)?.client ?? clientOf({ ...kubeconfig, digest }, options)
    kept.set(digest, { client, usedAt: now(), bytes: clientBytes + kubeconfig.text.length })
    forgetIdle()
    return client
  }
}

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
