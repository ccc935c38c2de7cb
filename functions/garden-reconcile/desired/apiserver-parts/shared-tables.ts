// Flags and files that kube-apiserver and gardener-apiserver share. Each server also has its own table:
//
//   flagTexts([...sharedFlags, ...ownFlags], server) // container.args
//   podFiles([...sharedFiles, ...ownFiles], server) // volumes, volumeMounts, and the config objects to apply
import { valueAt, withValueAt } from '../../../../shared/core/json/fields.ts'
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { secretNow } from '../../rules/secrets/existing-secrets.ts'
import { configMap, configSecret } from '../parts/config-object.ts'
import {
  type ApiServer,
  contentFaults,
  kubeconfigOf,
  type ReferencedKey,
  referencedText,
  referenceFault,
} from './api-server.ts'
import { encryptionConfiguration } from './encryption-config.ts'
import {
  bundleFiles,
  type Flag,
  fixedFlags,
  joined,
  type MountedFiles,
  ownFiles,
  secretFiles,
  switches,
  tlsCipherSuites,
} from './pod-tables.ts'

const folders = {
  etcdCa: '/srv/kubernetes/etcd/ca',
  etcdClient: '/srv/kubernetes/etcd/client',
  server: '/srv/kubernetes/apiserver',
  encryption: '/etc/kubernetes/etcd-encryption-secret',
  admission: '/etc/kubernetes/admission',
  admissionKubeconfigs: '/etc/kubernetes/admission-kubeconfigs',
  audit: '/etc/kubernetes/audit',
  auditWebhook: '/etc/kubernetes/webhook/audit',
} as const

export const sharedFlags: readonly Flag<ApiServer>[] = [
  ...fixedFlags({
    'etcd-cafile': `${folders.etcdCa}/bundle.crt`,
    'etcd-certfile': `${folders.etcdClient}/tls.crt`,
    'etcd-keyfile': `${folders.etcdClient}/tls.key`,
    'etcd-servers': 'https://virtual-garden-etcd-main-client:2379',
    'tls-cert-file': `${folders.server}/tls.crt`,
    'tls-private-key-file': `${folders.server}/tls.key`,
    'tls-cipher-suites': tlsCipherSuites.join(),
    'encryption-provider-config': `${folders.encryption}/encryption-configuration.yaml`,
    'http2-max-streams-per-connection': 1000,
    'livez-grace-period': '1m',
    profiling: false,
    'shutdown-delay-duration': '15s',
  }),
  { flag: 'enable-admission-plugins', value: server => joined(enabled(server)) },
  {
    flag: 'disable-admission-plugins',
    value: ({ fields }) => joined((fields.admissionPlugins ?? []).filter(isDisabled).map(({ name }) => name)),
  },
  { flag: 'admission-control-config-file', value: () => `${folders.admission}/admission-configuration.yaml` },
  { flag: 'audit-policy-file', value: () => `${folders.audit}/audit-policy.yaml` },
  {
    flag: 'audit-webhook-config-file',
    value: ({ fields }) => fields.auditWebhook && `${folders.auditWebhook}/kubeconfig.yaml`,
  },
  { flag: 'audit-webhook-batch-max-size', value: ({ fields }) => fields.auditWebhook?.batchMaxSize },
  { flag: 'audit-webhook-version', value: ({ fields }) => fields.auditWebhook?.version },
  { flag: 'feature-gates', value: ({ fields }) => switches(fields.featureGates) },
  { flag: 'max-requests-inflight', value: ({ fields }) => fields.requests?.maxNonMutatingInflight },
  { flag: 'max-mutating-requests-inflight', value: ({ fields }) => fields.requests?.maxMutatingInflight },
  { flag: 'v', value: ({ fields }) => fields.logging?.verbosity },
  { flag: 'vmodule', value: ({ fields }) => httpLog(fields.logging?.httpAccessVerbosity) },
  { flag: 'default-watch-cache-size', value: ({ fields }) => fields.watchCacheSizes?.default },
  { flag: 'watch-cache-sizes', value: ({ fields }) => joined(cacheSizes(fields.watchCacheSizes?.resources ?? [])) },
]

export const sharedFiles: readonly MountedFiles<ApiServer>[] = [
  bundleFiles('ca-etcd', folders.etcdCa),
  secretFiles('etcd-client', folders.etcdClient),
  { volume: 'server', folder: folders.server, from: ({ world, certificate }) => secretNow(world, certificate) },
  ownFiles('etcd-encryption-secret', folders.encryption, ({ world, name }) => encryptionConfiguration(world, name)),
  ownFiles('admission-config', folders.admission, server =>
    configMap(`${server.name}-admission-config`, configTexts(server)),
  ),
  ownFiles('admission-kubeconfigs', folders.admissionKubeconfigs, server => {
    const texts = kubeconfigTexts(server)
    return Object.keys(texts).length > 0 ? configSecret(`${server.name}-admission-kubeconfigs`, texts) : undefined
  }),
  ownFiles('audit-policy', folders.audit, server =>
    configMap(`${server.name}-audit-policy`, { 'audit-policy.yaml': policyText(server) }),
  ),
  ownFiles('audit-webhook', folders.auditWebhook, ({ world, name, fields: { auditWebhook } }) => {
    const reference = auditWebhook && kubeconfigOf(auditWebhook.kubeconfigSecretName)
    return reference && configSecret(`${name}-audit-webhook`, { 'kubeconfig.yaml': referencedText(world, reference) })
  }),
]

export const sharedReferenceFaults = (server: ApiServer): string[] => [
  ...references(server).flatMap(reference => referenceFault(server.world, reference) ?? []),
  ...contentFaults(server.world, server.name),
]

const references = (server: ApiServer): ReferencedKey[] => {
  const { auditWebhook } = server.fields
  return [
    policyOf(server.fields) ?? [],
    auditWebhook ? kubeconfigOf(auditWebhook.kubeconfigSecretName) : [],
    ...plugins(server).map(({ kubeconfigSecretName: name }) => (name ? kubeconfigOf(name) : [])),
  ].flat()
}

const httpLog = (verbosity: number | undefined): string | undefined =>
  verbosity === undefined ? undefined : `httplog=${verbosity}`

type CacheSize = { readonly apiGroup?: string; readonly resource: string; readonly size: number }

const cacheSizes = (resources: readonly CacheSize[]): string[] =>
  resources.map(({ apiGroup, resource, size }) => `${resource}${apiGroup ? `.${apiGroup}` : ''}#${size}`)

type Plugin = NonNullable<ApiServer['fields']['admissionPlugins']>[number]

const isDisabled = ({ disabled }: Plugin): boolean => disabled === true

const plugins = ({ fields }: ApiServer): Plugin[] => (fields.admissionPlugins ?? []).filter(one => !isDisabled(one))

const enabled = (server: ApiServer): string[] => {
  const always = server.name === 'kube-apiserver' ? ['NodeRestriction'] : []
  return [...new Set([...always, ...plugins(server).map(({ name }) => name)])]
}

const kubeconfigTexts = (server: ApiServer): Record<string, string> =>
  Object.fromEntries(
    plugins(server).flatMap(({ name, kubeconfigSecretName }) =>
      kubeconfigSecretName
        ? [[kubeconfigFile(name), referencedText(server.world, kubeconfigOf(kubeconfigSecretName))]]
        : [],
    ),
  )

const kubeconfigFile = (plugin: string): string => `${plugin.toLowerCase()}-kubeconfig.yaml`
const configFile = (plugin: string): string => `${plugin.toLowerCase()}.yaml`

const configTexts = (server: ApiServer): Record<string, string> => {
  const configs = plugins(server).flatMap(plugin => {
    const config = configOf(plugin)
    return config ? [{ name: plugin.name, config }] : []
  })
  const admission = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: configs.map(({ name }) => ({ name, path: `${folders.admission}/${configFile(name)}` })),
  }
  return {
    'admission-configuration.yaml': yamlOf(admission),
    ...Object.fromEntries(configs.map(({ name, config }) => [configFile(name), yamlOf(config)])),
  }
}

/** A configuration always gets the path of our kubeconfig, because a path from the Garden could name any file of the Pod. */
type Adjustment = {
  /** The configuration to use if the Garden has none. */
  readonly start?: JsonMap
  readonly adjust: (config: JsonMap, plugin: Plugin) => JsonMap
}

const leadsTo = ({ name, kubeconfigSecretName }: Plugin): string =>
  kubeconfigSecretName ? `${folders.admissionKubeconfigs}/${kubeconfigFile(name)}` : ''

const webhook: Adjustment = {
  start: { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' },
  adjust: (config, plugin) => ({ ...config, kubeConfigFile: leadsTo(plugin) }),
}

const adjustments: Readonly<Record<string, Adjustment>> = {
  MutatingAdmissionWebhook: webhook,
  ValidatingAdmissionWebhook: webhook,
  ImagePolicyWebhook: {
    start: { imagePolicy: {} },
    adjust: (config, plugin) => withValueAt(config, ['imagePolicy', 'kubeConfigFile'], leadsTo(plugin)),
  },
  PodSecurity: {
    adjust: config => {
      const listed = valueAt(config, 'exemptions', 'namespaces')
      const namespaces = Array.isArray(listed) ? listed : []
      return withValueAt(config, ['exemptions', 'namespaces'], [...new Set([...namespaces, 'kube-system'])])
    },
  },
}

const configOf = (plugin: Plugin): JsonMap | undefined => {
  const { start, adjust }: Adjustment = adjustments[plugin.name] ?? { adjust: config => config }
  const config = (plugin.config as JsonMap | undefined) ?? (plugin.kubeconfigSecretName ? start : undefined)
  return config && adjust(config, plugin)
}

const policyOf = ({ auditConfig }: ApiServer['fields']): ReferencedKey | undefined => {
  const { name } = auditConfig?.auditPolicy?.configMapRef ?? {}
  return name ? { kind: 'ConfigMap', name, key: 'policy' } : undefined
}

const policyText = ({ world, fields }: ApiServer): string => {
  const policy = policyOf(fields)
  return policy ? referencedText(world, policy) : silentPolicy
}

const silentPolicy = yamlOf({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'None' }] })
