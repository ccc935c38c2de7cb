// The cluster that a component's dependents live in, and as whom they are written: our own, or the one a kubeconfig in a
// Secret leads to; in our own name or in that of a service account. Nothing is asked of it before all of that is settled.
import { digestOf } from '../../component/digest.ts'
import type { KubeObject } from '../../core/object.ts'
import type { CallBounds, Client, Impersonation } from '../../kube/client-types.ts'
import { kubeconfigIn, kubeconfigKeys } from '../../kube/kubeconfig-secret.ts'
import type { Configuration, KubeConfigSource } from './configuration.ts'
import type { ComponentOptions } from './definition.ts'
import { ReferenceMissing } from './references.ts'
import type { Residence } from './residence.ts'

export type Target = {
  /** The same for the same cluster. */
  readonly name: string
  readonly client: Client
  /** The component's own cluster, in the same name. */
  readonly local: Client
}

/** Name of the component's own cluster, where it is that of the dependents too. */
export const localTarget = 'local'

export type TargetOptions = Pick<ComponentOptions, 'impersonationScope' | 'kubeConfigHosts'> & {
  readonly defaultServiceAccount?: string
}

export type Reaching = {
  readonly component: KubeObject
  readonly configuration: Configuration
  readonly options: TargetOptions
  /** Under the function's own identity. */
  readonly local: Client
  readonly bounds: CallBounds
  readonly residence: Residence
}

/** Rejects with ReferenceMissing, or with a sentence about what is not allowed. */
export const targetOf = async (reaching: Reaching): Promise<Target> => {
  const { configuration, local, bounds } = reaching
  const here = boundAs(impersonationOf(reaching, 'here'), local)
  if (!configuration.kubeConfig) return { name: localTarget, client: here, local: here }
  const impersonate = impersonationOf(reaching, 'there')
  const { text, called } = await kubeconfigOf(configuration.kubeConfig, reaching)
  const { residence, options } = reaching
  const remote = residence.clients({ text, called, allowedHosts: options.kubeConfigHosts })
  return { name: digestOf(text), client: boundAs(impersonate, remote, bounds), local: here }
}

const boundAs = (impersonate: Impersonation | undefined, client: Client, bounds: CallBounds = {}): Client =>
  client.bound({ ...bounds, ...(impersonate && { impersonate }) })

/** A kubeconfig says by itself who we are in the cluster it leads to; here that is nobody's but the default account's. */
const impersonationOf = (reaching: Reaching, place: 'here' | 'there'): Impersonation | undefined => {
  const { component, configuration, options } = reaching
  const { namespace = '' } = component.metadata
  const { impersonationGroups: groups, impersonationUser } = configuration
  const isSettled = place === 'there' || groups.length > 0
  const user = impersonationUser ?? (isSettled ? undefined : defaultUser(options.defaultServiceAccount, namespace))
  if (user === undefined && groups.length === 0) return undefined
  if (user === undefined) throw new Error('impersonationGroups are given without an impersonationUser')
  if (![user, ...groups].every(text => /^[\x21-\x7e]+$/.test(text)))
    throw new Error('impersonationUser or impersonationGroups hold what can be in no name')
  const isOwn = user.startsWith(`system:serviceaccount:${namespace}:`) && groups.length === 0
  if (options.impersonationScope === 'ownNamespace' && !isOwn)
    throw new Error(`only service accounts of namespace ${namespace} may be impersonated, without groups; not ${user}`)
  return { user, groups }
}

const defaultUser = (account: string | undefined, namespace: string): string | undefined =>
  account === undefined ? undefined : `system:serviceaccount:${namespace}:${account}`

const kubeconfigOf = async (source: KubeConfigSource, { component, local }: Reaching) => {
  if ('text' in source) return { text: source.text, called: 'the kubeconfig' }
  const { namespace = '' } = component.metadata
  const secret = await local.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: source.secret })
  const told = `the Secret ${namespace}/${source.secret}, named in kubeConfig,`
  if (!secret) throw new ReferenceMissing(`${told} does not exist`)
  const keys = kubeconfigKeys(source.key)
  const text = kubeconfigIn(secret, keys)
  if (text === undefined) throw new ReferenceMissing(`${told} has no key ${keys.join(' or ')}`)
  return { text, called: `the kubeconfig in the Secret ${namespace}/${source.secret}` }
}
