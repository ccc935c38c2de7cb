// Admission plugins of both API servers: plugins must be known, needed plugins must be enabled, and only some plugins can be configured.
import { gardenerPlugins } from '../../../../shared/api/garden/gardener-names.ts'
import { admissionPluginKnown, isFrom, type Known } from '../../../../shared/api/kubernetes/versions.ts'
import { type FieldError, forbidden, invalid, required } from '../../../../shared/core/objects/field-error.ts'
import { gardenerAPIServer, kubeAPIServerPath, ofBothAPIServers } from '../paths.ts'
import { eachOnce, type FieldPlace, type GardenRule, invalidIf, requiredIf, rule, says } from '../rule.ts'
import { gardenerPluginConfigurations, kubernetesPluginConfigurations } from './plugin-configurations.ts'

type Plugin = { name: string; config?: unknown; disabled?: boolean; kubeconfigSecretName?: string }

const needed: readonly string[] = [
  'MutatingAdmissionWebhook',
  'NamespaceLifecycle',
  'NodeRestriction',
  'PodSecurity',
  'Priority',
  'StorageObjectInUseProtection',
  'ValidatingAdmissionWebhook',
]
const calling: readonly string[] = ['ImagePolicyWebhook', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']
const configurable: readonly string[] = [
  ...calling,
  'EventRateLimit',
  'PodNodeSelector',
  'PodSecurity',
  'PodTolerationRestriction',
  'ResourceQuota',
]

const ofKubernetes = `${kubeAPIServerPath}.admissionPlugins[]`

type Version = Pick<FieldPlace, 'minor'>

/** Other rules refuse empty names and unsupported versions. */
const knownTo = ({ minor }: Version, name: string): Known =>
  minor === undefined || name === '' ? 'here' : admissionPluginKnown(name, minor)

const isKnown = (version: Version, name: string): boolean => name !== '' && knownTo(version, name) === 'here'

const judges = new Map(Object.entries({ ...kubernetesPluginConfigurations, ...gardenerPluginConfigurations }))

const configurationFault = ({ name, config, disabled }: Plugin, minor?: string): string | undefined =>
  config === undefined || disabled === true ? undefined : judges.get(name)?.(`configuration of ${name}`, config, minor)

const unfit = (path: string, plugin: Plugin, minor?: string): FieldError =>
  invalid(`${path}.config`, plugin.config, configurationFault(plugin, minor) ?? '')

/** Before Kubernetes 1.36, webhook plugins with a configuration also need a kubeconfig. */
const needsKubeconfig = (plugin: Plugin, minor: string | undefined): boolean => {
  if (plugin.disabled === true || plugin.kubeconfigSecretName) return false
  if (plugin.name === 'ImagePolicyWebhook') return true
  return calling.includes(plugin.name) && plugin.config !== undefined && minor !== undefined && !isFrom('1.36', minor)
}

export const admissionPluginRules: readonly GardenRule[] = [
  eachOnce({ at: ofBothAPIServers('admissionPlugins'), field: 'name' }),
  requiredIf<string>(ofBothAPIServers('admissionPlugins[].name'), name => name === '', 'must name a plugin'),
  invalidIf<string>(
    [`${ofKubernetes}.name`],
    (name, version) => knownTo(version, name) === 'never',
    'unknown admission plugin',
  ),
  rule<string>({
    at: [`${ofKubernetes}.name`],
    check: (name, version) => knownTo(version, name) === 'in another version',
    error: ({ path, value, minor }) => forbidden(path, `${value} is not supported in Kubernetes ${minor}`),
  }),
  rule<Plugin>({
    at: [ofKubernetes],
    check: ({ name, disabled }) => disabled === true && needed.includes(name),
    error: ({ path, value }) => forbidden(path, `${value.name} cannot be disabled`),
  }),
  rule<Plugin>({
    at: [ofKubernetes],
    check: ({ name, config }, version) =>
      config !== undefined && isKnown(version, name) && !configurable.includes(name),
    error: ({ path, value }) => forbidden(`${path}.config`, `${value.name} takes no configuration`),
  }),
  rule<Plugin>({
    at: [ofKubernetes],
    check: ({ name, kubeconfigSecretName }, version) =>
      kubeconfigSecretName !== undefined && isKnown(version, name) && !calling.includes(name),
    error: ({ path, value }) => forbidden(`${path}.kubeconfigSecretName`, `${value.name} uses no kubeconfig`),
  }),
  rule<Plugin>({
    at: [ofKubernetes],
    check: (plugin, { minor }) => configurationFault(plugin, minor) !== undefined,
    error: ({ path, value, minor }) => unfit(path, value, minor),
  }),
  rule<Plugin>({
    at: [`${gardenerAPIServer}.admissionPlugins[]`],
    check: plugin => configurationFault(plugin) !== undefined,
    error: ({ path, value }) => unfit(path, value),
  }),
  rule<Plugin>({
    at: ofBothAPIServers('admissionPlugins[]'),
    check: ({ name, config, disabled }) => name === 'EventRateLimit' && config === undefined && disabled !== true,
    error: ({ path, value }) => required(`${path}.config`, `${value.name} needs a configuration with limits`),
  }),
  rule<Plugin>({
    at: [ofKubernetes],
    check: (plugin, { minor }) => needsKubeconfig(plugin, minor),
    error: ({ path, value }) => required(`${path}.kubeconfigSecretName`, `${value.name} needs a kubeconfig`),
  }),
  rule<string>({
    at: [`${gardenerAPIServer}.admissionPlugins[].name`],
    check: name => name !== '' && !gardenerPlugins.includes(name),
    error: says.notSupported(gardenerPlugins),
  }),
]
