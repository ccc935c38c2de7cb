// Finds the access Secret of a remote cluster by the labels in `provider.remotes` of serverless.yml, in one namespace.
import type { RemoteSettings } from '../../api/serverless.ts'
import { isLabelValue } from '../../core/objects/label.ts'
import { labelSelectorText } from '../../core/objects/label-selector.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Reads } from '../client-types.ts'
import { AccessError } from '../errors.ts'
import { kubeconfigIn } from '../kubeconfigs/secret.ts'

type AccessSecret = { kubeconfig: string; allowedHosts: readonly string[] }

type Remotes = Readonly<Record<string, RemoteSettings>>

/**
 * Rejects with an AccessError: `Missing` if cluster `<group>/<name>` has no access Secret, `Refused` if there are several, or the Secret is
 * unusable.
 */
export const accessSecret = async (reads: Reads, remotes: Remotes, cluster: string): Promise<AccessSecret> => {
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
