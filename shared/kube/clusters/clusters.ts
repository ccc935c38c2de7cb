// Provides clients of clusters by name. The access Secret of a remote cluster is read in each call, so that a new, rotated or deleted
// Secret takes effect at once. Calls at the same time share a read. Clients are cached between calls only to save connections.
import type { RemoteSettings } from '../../api/serverless.ts'
import { isMap } from '../../core/json/json.ts'
import { isLabelValue } from '../../core/objects/dns-name.ts'
import { labelSelectorText } from '../../core/objects/label-selector.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { BindableClusters, Client, ClientOptions, Reads } from '../client-types.ts'
import { AccessError } from '../errors.ts'
import type { KubeconfigClients } from '../kubeconfigs/clients.ts'
import { fleetConnections } from '../limits.ts'
import { assemblyMilliseconds, KeyedReads, sharingReads } from '../shared-reads.ts'

type ClustersOptions = {
  local: Client
  remotes?: Readonly<Record<string, RemoteSettings>>
  client?: ClientOptions
}

/** The cluster `local` uses the given client. A cluster `<group>/<name>` uses the access Secret with this name in the group. */
export const clusters = ({ local, remotes = {}, client }: ClustersOptions): BindableClusters => {
  let clients: Promise<KubeconfigClients> | undefined
  const secrets = new KeyedReads()
  const of = async (name: string, home: Client): Promise<Client> => {
    if (name === 'local') return home
    const listing = sharingReads(home, { reads: secrets, place: 'local', waitMilliseconds: assemblyMilliseconds.local })
    const { kubeconfig: text, allowedHosts } = await accessSecret(listing, remotes, name)
    clients ??= newClients(client)
    return (await clients)({ text, allowedHosts, called: `the kubeconfig of the cluster ${name}` })
  }
  return {
    clientOptions: client,
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

/** Loads the code on demand, because the code is large and most hosts never need it. */
const newClients = async (options: ClientOptions | undefined): Promise<KubeconfigClients> => {
  const { kubeconfigClients } = await import('../kubeconfigs/clients.ts')
  return kubeconfigClients({ connections: fleetConnections, ...options })
}

type AccessSecret = { kubeconfig: string; allowedHosts: readonly string[] }

type Remotes = Readonly<Record<string, RemoteSettings>>

/**
 * Rejects with an AccessError: `Missing` if cluster `<group>/<name>` has no access Secret, `Refused` if there are several, or the Secret is
 * unusable.
 */
const accessSecret = async (reads: Reads, remotes: Remotes, cluster: string): Promise<AccessSecret> => {
  const { remote, labelSelector } = wanted(remotes, cluster)
  const { namespace } = remote
  const listed = await reads.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector })
  const [secret, another] = listed.filter(({ metadata }) => isForUs(metadata.labels, remote))
  const which = `in ${namespace} with ${labelSelector}`
  if (!secret) throw new AccessError('Missing', `access secret not found: there is no Secret ${which}`)
  if (another) throw new AccessError('Refused', `more than one secret found ${which}`)
  const kubeconfig = kubeconfigIn(secret, [remote.kubeconfigKey])
  const { name } = secret.metadata
  if (kubeconfig === undefined)
    throw new AccessError('Refused', `the Secret ${namespace}/${name} has no key ${remote.kubeconfigKey}`)
  return { kubeconfig, allowedHosts: remote.allowedHosts }
}

const wanted = (remotes: Remotes, cluster: string): { remote: RemoteSettings; labelSelector: string } => {
  const slash = cluster.indexOf('/')
  const [group, name] = [cluster.slice(0, slash), cluster.slice(slash + 1)]
  const remote = Object.hasOwn(remotes, group) ? remotes[group] : undefined
  // In a label selector, a name such as `a,b=c` would be two requirements.
  if (!remote || name === '' || !isLabelValue(name)) throw new AccessError('Missing', `"${cluster}" names no cluster`)
  return { remote, labelSelector: labelSelectorText({ [remote.nameLabel]: name }) }
}

/** Whether no label reserves the Secret for another program. */
export const isForUs = (labels: KubeObject['metadata']['labels'], { optionalLabels }: RemoteSettings): boolean =>
  Object.entries(optionalLabels).every(([label, value]) => (labels?.[label] ?? value) === value)

const usualKeys = ['value', 'value.yaml', 'value.yml'] as const

export const kubeconfigKeys = (key = ''): readonly string[] => (key === '' ? usualKeys : [key])

export const kubeconfigIn = ({ data }: KubeObject, keys: readonly string[]): string | undefined => {
  const texts = keys.map(key => (isMap(data) ? data[key] : undefined))
  const text = texts.find(found => typeof found === 'string')
  return typeof text === 'string' ? Buffer.from(text, 'base64').toString() : undefined
}
