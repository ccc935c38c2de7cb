// How the resource manager of the virtual garden first gets access. It creates all tokens, including its own, and applies its own rights.
// While the token or the rights are missing, it uses a client certificate with all rights that lasts a few minutes.
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../../../shared/core/json/json.ts'
import { conditionOf } from '../../../../shared/core/objects/condition.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedText, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { findObject } from '../../rules/objects.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-names.ts'
import { caBundleNow, secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { configSecret } from '../parts/config-object.ts'
import { kubeconfigText } from '../parts/kubeconfig.ts'
import { namespace, prefixes, virtualGarden } from '../parts/names.ts'
import { tokenSecret } from '../parts/virtual-garden-client.ts'

const program = 'gardener-resource-manager'
const certificate = `${program}-bootstrap` satisfies SecretConfigName

/** The ManagedResource with the resource manager's rights in the virtual garden. */
export const resourceManagerRights = `shoot-core-${program}`

export const bootstrapSecrets = (world: World, now?: Date): readonly SecretConfigName[] =>
  isBootstrapNeeded(world, now) ? ['ca', certificate] : []

/** Without `now`, tokens do not expire. */
export const isBootstrapNeeded = (world: World, now?: Date): boolean => {
  const isLost = !hasToken(world, now) || rightsOf(world) === undefined || areRightsLost(world)
  return isLost || (isBootstrapping(world) && appliedCondition(world)?.status !== 'True')
}

/** Like virtualGardenClient, but with the client certificate. `config` must be applied, because the volume mounts it. */
export const bootstrapClient = (world: World) => {
  const config = configSecret(`${certificate}-kubeconfig`, { kubeconfig: kubeconfig(world) })
  const items = [{ key: 'kubeconfig', path: 'kubeconfig' }]
  const sources = [{ secret: { name: config.metadata.name, items, optional: false } }]
  return { config, volume: { name: 'kubeconfig', projected: { defaultMode: 0o640, sources } } }
}

/** The resource manager refuses kubeconfigs with paths of files, so this kubeconfig contains the certificate and the key. */
const kubeconfig = (world: World): string => {
  const authority = caBundleNow(world, 'ca')
  const cluster = { 'certificate-authority-data': authority, server: `https://${virtualGarden('kube-apiserver')}` }
  const own = (key: string) => encodedText(secretText(secretNow(world, certificate), key))
  const user = { 'client-certificate-data': own('tls.crt'), 'client-key-data': own('tls.key') }
  return kubeconfigText(namespace, cluster, user)
}

/** Tokens are renewed long before they expire, so a renewal may be some minutes late. */
const graceMilliseconds = 600_000

const hasToken = ({ runtime }: World, now?: Date): boolean => {
  const { apiVersion, kind, metadata } = tokenSecret(program)
  const secret = findObject(runtime, { apiVersion, kind, namespace, name: metadata.name })
  const renewed = Date.parse(secret?.metadata.annotations?.[`${prefixes.serviceAccount}/token-renew-timestamp`] ?? '')
  return now === undefined ? !Number.isNaN(renewed) : now.getTime() < renewed + graceMilliseconds
}

const rightsOf = ({ runtime }: World): KubeObject | undefined =>
  findObject(runtime, { ...managedResourceKind, namespace, name: resourceManagerRights })

const appliedCondition = (world: World): JsonMap | undefined => {
  const rights = rightsOf(world)
  return rights && conditionOf(rights, 'ResourcesApplied')
}

/** Parts of error messages: the user has no rights, or the API server does not know the user. */
const refusals = [`User "system:serviceaccount:kube-system:${program}" cannot`, ': Unauthorized']

const areRightsLost = (world: World): boolean => {
  const { status, message } = appliedCondition(world) ?? {}
  return status === 'False' && refusals.some(refusal => shownText(message).includes(refusal))
}

/** Whether the Deployment mounts the certificate. The certificate stays until the resource manager has used it to apply its rights. */
const isBootstrapping = ({ runtime }: World): boolean => {
  const name = virtualGarden(program)
  const deployment = findObject(runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })
  const volumes = mapsIn(valueAt(deployment?.spec, 'template', 'spec', 'volumes'))
  const sources = volumes.flatMap(volume => mapsIn(mapOrEmpty(volume.projected).sources))
  return sources.some(({ secret }) => String(mapOrEmpty(secret).name).startsWith(certificate))
}
