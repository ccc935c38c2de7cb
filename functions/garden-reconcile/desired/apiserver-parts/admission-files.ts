// The admission plugins of an API server: flags, configurations, and kubeconfigs of plugins that call a webhook. A configuration always
// gets the path of our kubeconfig, because a path from the Garden could name any file of the Pod.
import { valueAt, withValueAt } from '../../../../shared/core/json/fields.ts'
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { configMap, configSecret } from '../parts/config-object.ts'
import type { ApiServer } from './api-server.ts'
import { kubeconfigOf } from './audit-files.ts'
import type { MountedFiles } from './file-table.ts'
import { type Flag, joined } from './flag-table.ts'
import { type ReferencedKey, referencedText } from './referenced.ts'

const folder = '/etc/kubernetes/admission'
const kubeconfigFolder = '/etc/kubernetes/admission-kubeconfigs'

type Plugin = NonNullable<ApiServer['fields']['admissionPlugins']>[number]

export const admissionFlags: readonly Flag<ApiServer>[] = [
  { flag: 'enable-admission-plugins', value: server => joined(enabled(server)) },
  {
    flag: 'disable-admission-plugins',
    value: ({ fields }) => joined((fields.admissionPlugins ?? []).filter(isDisabled).map(({ name }) => name)),
  },
  { flag: 'admission-control-config-file', value: () => `${folder}/admission-configuration.yaml` },
]

export const admissionFiles: readonly MountedFiles<ApiServer>[] = [
  {
    volume: 'admission-config',
    folder,
    isOurs: true,
    from: server => configMap(`${server.name}-admission-config`, configTexts(server)),
  },
  {
    volume: 'admission-kubeconfigs',
    folder: kubeconfigFolder,
    isOurs: true,
    from: server => {
      const texts = kubeconfigTexts(server)
      return Object.keys(texts).length > 0 ? configSecret(`${server.name}-admission-kubeconfigs`, texts) : undefined
    },
  },
]

export const admissionReferences = (server: ApiServer): ReferencedKey[] =>
  plugins(server).flatMap(({ kubeconfigSecretName }) =>
    kubeconfigSecretName ? [kubeconfigOf(kubeconfigSecretName)] : [],
  )

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
    plugins: configs.map(({ name }) => ({ name, path: `${folder}/${configFile(name)}` })),
  }
  return {
    'admission-configuration.yaml': yamlOf(admission),
    ...Object.fromEntries(configs.map(({ name, config }) => [configFile(name), yamlOf(config)])),
  }
}

type Adjustment = {
  /** The configuration to use if the Garden has none. */
  readonly start?: JsonMap
  readonly adjust: (config: JsonMap, plugin: Plugin) => JsonMap
}

const leadsTo = ({ name, kubeconfigSecretName }: Plugin): string =>
  kubeconfigSecretName ? `${kubeconfigFolder}/${kubeconfigFile(name)}` : ''

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
