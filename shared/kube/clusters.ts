// The clusters a function may reach, by name. A remote one is found through its access Secret at every call, so a new,
// rotated or removed Secret counts at once; the clients that are kept between calls only save dialling. Those that are no
// longer kept are not closed: a call may still use them, and their sockets end by themselves when idle.
import { createHash } from 'node:crypto'
import type { RemoteSettings } from '../api/serverless.ts'
import { accessSecret } from './access-secret.ts'
import { type ClientOptions, createClient } from './client.ts'
import type { BindableClusters, Client } from './client-types.ts'
import { AccessError } from './errors.ts'
import type { KubeconfigVerdict } from './kubeconfig.ts'

export type ClustersOptions = {
  local: Client
  /** `provider.remotes` of serverless.yml. */
  remotes?: Readonly<Record<string, RemoteSettings>>
  client?: ClientOptions
}

/** What a kubeconfig led to, under the digest of its text: a client, or the refusal again. */
type Kept = { digest: string; reach: () => Client }

/** `local` is the given client; `<group>/<name>` leads through the access Secret of that name in the group. */
export const clusters = ({ local, remotes = {}, client }: ClustersOptions): BindableClusters => {
  const kept = new Map<string, Kept>()
  const of = async (name: string, home: Client): Promise<Client> => {
    if (name === 'local') return home
    const secret = await accessSecret(home, remotes, name).catch(error => {
      if (isMissing(error)) kept.delete(name)
      throw error
    })
    const { parseKubeconfig } = await kubeconfigParser()
    const digest = createHash('sha256').update(secret.kubeconfig).digest('base64')
    const before = kept.get(name)
    const reach =
      before?.digest === digest ? before.reach : reachOf(name, parseKubeconfig(secret.kubeconfig, secret), client)
    kept.set(name, { digest, reach })
    return reach()
  }
  return {
    of: name => of(name, local),
    bound: call => {
      const found = new Map<string, Promise<Client>>()
      const home = local.bound(call)
      const look = (name: string): Promise<Client> => {
        const client = of(name, home).then(far => far.bound(call))
        found.set(name, client)
        return client
      }
      return { of: name => found.get(name) ?? look(name) }
    },
  }
}

/** It is large, and most hosts never see a kubeconfig. */
const kubeconfigParser = () => import('./kubeconfig.ts')

const reachOf = (name: string, verdict: KubeconfigVerdict, options: ClientOptions | undefined): (() => Client) => {
  if ('access' in verdict) {
    const client = createClient(verdict.access, options)
    return () => client
  }
  const { sentence } = verdict.refused
  return () => {
    throw new AccessError('Refused', `the kubeconfig of the cluster ${name} is refused: ${sentence}`)
  }
}

const isMissing = (error: unknown): boolean => error instanceof AccessError && error.reason === 'Missing'
