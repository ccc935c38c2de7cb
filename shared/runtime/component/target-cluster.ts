// Finds the cluster of a component's dependents: the local cluster, or the cluster of the kubeconfig Secret. Requests use the component's
// identity, if it has one.
import { digestOf } from '../../component/declared/dependent.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Impersonation, ReadClient } from '../../kube/client-types.ts'
import { kubeconfigIn, kubeconfigKeys } from '../../kube/clusters/clusters.ts'
import type { BegunCall } from '../context.ts'
import type { Configuration } from './configuration/configuration.ts'
import type { KubeConfigSource } from './configuration/configuration-fields.ts'
import { ReferenceMissing, type References, readingAs } from './references/references.ts'
import { kubeconfigCredentials, type Secrecy } from './references/secrecy.ts'

export type TargetClient = {
  readonly name: string
  readonly client: ReadClient
  /** A client for the component's own cluster, with the component's identity. */
  readonly local: ReadClient
  /** Credentials of the kubeconfig. Messages that contain a credential are not shown. */
  readonly credentials?: readonly string[]
}

export type Referring = { readonly references: References; readonly secrecy: Secrecy }

export type Reached = Referring & {
  /** Digest of the component and its references. Example: the digest changes when a Secret in valuesFrom changes. */
  readonly digest: string
  readonly target: TargetClient
}

export const localTarget = 'local'

type Reaching = {
  readonly component: KubeObject
  readonly configuration: Configuration
  readonly kubeConfigHosts: readonly string[]
  readonly call: Pick<BegunCall, 'local' | 'bounds' | 'memory'>
}

/** Rejects with ReferenceMissing, or with AccessError for a refused kubeconfig. */
export const targetOf = async (reaching: Reaching): Promise<TargetClient> => {
  const { configuration, call, kubeConfigHosts: allowedHosts } = reaching
  const { here, there } = configuration.identity
  const local = boundAs(here, call.local)
  if (!configuration.kubeConfig) return { name: localTarget, client: local, local }
  const { text, called } = await kubeconfigOf(configuration.kubeConfig, reaching)
  const remote = await call.memory.remoteClient({ text, called, allowedHosts })
  const client = boundAs(there, remote.bound(call.bounds))
  return { name: digestOf(text), client, local, credentials: kubeconfigCredentials(text) }
}

const boundAs = (impersonate: Impersonation | undefined, client: ReadClient): ReadClient =>
  impersonate ? client.bound({ impersonate }) : client

const kubeconfigOf = async (source: KubeConfigSource, { component, configuration, call }: Reaching) => {
  if ('text' in source) return { text: source.text, called: 'the kubeconfig' }
  const { namespace = '' } = component.metadata
  const reads = readingAs(call.local, configuration.identity.here)
  const secret = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: source.secret })
  const secretNamed = `the Secret ${namespace}/${source.secret}, named in kubeConfig,`
  if (!secret) throw new ReferenceMissing(`${secretNamed} does not exist`)
  const keys = kubeconfigKeys(source.key)
  const text = kubeconfigIn(secret, keys)
  if (text === undefined) throw new ReferenceMissing(`${secretNamed} has no key ${keys.join(' or ')}`)
  return { text, called: `the kubeconfig in the Secret ${namespace}/${source.secret}` }
}
