// Lists the ConfigMaps and kubeconfig Secrets of a Garden whose content API servers read at start. The webhooks refuse invalid content,
// and garden-reconcile does not roll invalid content out.
import type { GardenFields } from '../../api/garden.ts'
import { parseVersion } from '../../api/kubernetes/versions.ts'
import { type Garden, serviceAccountIssuers } from '../objects/garden.ts'
import { auditPolicyFault } from './audit-policy.ts'
import { authenticationFault } from './authentication-configuration.ts'
import { authorizationFault } from './authorization-configuration.ts'

type ServerName = 'kube-apiserver' | 'gardener-apiserver'

export type GardenConfiguration = {
  readonly server: ServerName
  /** Path of the admission webhook below /webhooks/. */
  readonly webhook: string
  readonly purpose: string
  readonly key: string
  /** Name of the ConfigMap; undefined when the Garden refers to none. */
  readonly name: (garden: Garden) => string | undefined
  /** All values from the Garden that `fault` uses. */
  readonly facts: (garden: Garden) => unknown
  /** The reason why the server would not start with the content; undefined when the server would start. */
  readonly fault: (garden: Garden, content: string) => string | undefined
}

const kubeApiServer = ({ spec }: GardenFields) => spec.virtualCluster.kubernetes.kubeAPIServer ?? {}
const gardenerApiServer = ({ spec }: GardenFields) => spec.virtualCluster.gardener.gardenerAPIServer ?? {}

/** For example 34 for 1.34.2. Other checks refuse an invalid version. */
export const minorOf = ({ spec }: GardenFields): number =>
  parseVersion(spec.virtualCluster.kubernetes.version)?.minor ?? Number.POSITIVE_INFINITY

const row = <Facts>(
  about: Omit<GardenConfiguration, 'facts' | 'fault'>,
  facts: (garden: Garden) => Facts,
  fault: (facts: Facts, content: string) => string | undefined,
): GardenConfiguration => ({ ...about, facts, fault: (garden, content) => fault(facts(garden), content) })

const auditPolicy = { webhook: 'audit-policies', purpose: 'audit policy', key: 'policy' } as const
const structured = { server: 'kube-apiserver', key: 'config.yaml' } as const

export const gardenConfigurations: readonly GardenConfiguration[] = [
  row(
    {
      ...{ ...auditPolicy, server: 'kube-apiserver' },
      name: garden => kubeApiServer(garden).auditConfig?.auditPolicy?.configMapRef?.name || undefined,
    },
    garden => ({ knowsAnyGroup: minorOf(garden) >= 36 }),
    auditPolicyFault,
  ),
  row(
    {
      ...{ ...auditPolicy, server: 'gardener-apiserver' },
      name: garden => gardenerApiServer(garden).auditConfig?.auditPolicy?.configMapRef?.name || undefined,
    },
    () => ({ knowsAnyGroup: true }),
    auditPolicyFault,
  ),
  row(
    {
      ...{ ...structured, webhook: 'authentication-configuration', purpose: 'authentication configuration' },
      name: garden => kubeApiServer(garden).structuredAuthentication?.configMapName || undefined,
    },
    garden => ({
      garden: garden.metadata.name,
      minor: minorOf(garden),
      issuers: serviceAccountIssuers(garden),
      saysAnonymous: kubeApiServer(garden).enableAnonymousAuthentication !== undefined,
    }),
    authenticationFault,
  ),
  row(
    {
      ...{ ...structured, webhook: 'authorization-configuration', purpose: 'authorization configuration' },
      name: garden => kubeApiServer(garden).structuredAuthorization?.configMapName || undefined,
    },
    garden => ({
      garden: garden.metadata.name,
      withKubeconfig: (kubeApiServer(garden).structuredAuthorization?.kubeconfigs ?? []).map(one => one.authorizerName),
    }),
    authorizationFault,
  ),
]

/** A Secret with a kubeconfig. `usesContext`: see kubeconfig-file.ts. */
type GardenKubeconfig = { readonly server: ServerName; readonly name: string; readonly usesContext: boolean }

export const kubeconfigKey = 'kubeconfig'

export const gardenKubeconfigs = (garden: GardenFields): readonly GardenKubeconfig[] => {
  const { authentication, structuredAuthorization } = kubeApiServer(garden)
  const own = [
    authentication?.webhook?.kubeconfigSecretName,
    ...(structuredAuthorization?.kubeconfigs ?? []).map(({ secretName }) => secretName),
  ]
  return [
    ...own.flatMap(name => (name ? [{ server: 'kube-apiserver' as const, name, usesContext: true }] : [])),
    ...ofEither('kube-apiserver', kubeApiServer(garden)),
    ...ofEither('gardener-apiserver', gardenerApiServer(garden)),
  ]
}

type EitherServer = Pick<ReturnType<typeof gardenerApiServer>, 'auditWebhook' | 'admissionPlugins'>

const ofEither = (server: ServerName, { auditWebhook, admissionPlugins = [] }: EitherServer): GardenKubeconfig[] => [
  ...(auditWebhook?.kubeconfigSecretName
    ? [{ server, name: auditWebhook.kubeconfigSecretName, usesContext: true }]
    : []),
  ...admissionPlugins.flatMap(({ name: plugin, disabled, kubeconfigSecretName: name }) =>
    name && !disabled ? [{ server, name, usesContext: plugin === 'ImagePolicyWebhook' }] : [],
  ),
]
