// Admission plugins of both API servers: known there, not switched off where the API server needs them, and configured
// only where a plugin can be.
import { gardenerPlugins } from '../../../shared/api/garden/gardener-names.ts'
import { admissionPluginKnown, type Known } from '../../../shared/api/kubernetes/versions.ts'
import { forbidden, invalid, notSupported, required } from '../../../shared/core/field-error.ts'
import { minorOf } from './kubernetes-version.ts'
import { gardenerAPIServer, kubeAPIServer, ofBothAPIServers } from './paths.ts'
import { isPodSecurity, podSecurityVersions } from './pod-security.ts'
import { type Rule, rule, type Subject } from './rule.ts'

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

const ofKubernetes = [`${kubeAPIServer}.admissionPlugins[]`]

const knownTo = (subject: Subject, { name }: Plugin): Known => {
  const minor = minorOf(subject)
  return minor === undefined || name === '' ? 'here' : admissionPluginKnown(name, minor)
}

const isKnown = (subject: Subject, plugin: Plugin): boolean => plugin.name !== '' && knownTo(subject, plugin) === 'here'

export const admissionPluginRules: readonly Rule[] = [
  rule<Plugin>({
    at: ofBothAPIServers('admissionPlugins[]'),
    check: ({ name }) => name === '',
    error: ({ path }) => required(`${path}.name`, 'must name a plugin'),
  }),
  rule<Plugin>({
    at: ofKubernetes,
    check: (plugin, subject) => knownTo(subject, plugin) === 'never',
    error: ({ path, value }) => invalid(`${path}.name`, value.name, 'unknown admission plugin'),
  }),
  rule<Plugin>({
    at: ofKubernetes,
    check: (plugin, subject) => knownTo(subject, plugin) === 'in another version',
    error: ({ path, value }, subject) =>
      forbidden(`${path}.name`, `${value.name} is not supported in Kubernetes ${minorOf(subject)}`),
  }),
  rule<Plugin>({
    at: ofKubernetes,
    check: ({ name, disabled }) => disabled === true && needed.includes(name),
    error: ({ path, value }) => forbidden(path, `${value.name} cannot be disabled`),
  }),
  rule<Plugin>({
    at: ofKubernetes,
    check: (plugin, subject) =>
      plugin.config !== undefined && isKnown(subject, plugin) && !configurable.includes(plugin.name),
    error: ({ path, value }) => forbidden(`${path}.config`, `${value.name} takes no configuration`),
  }),
  rule<Plugin>({
    at: ofKubernetes,
    check: (plugin, subject) =>
      plugin.kubeconfigSecretName !== undefined && isKnown(subject, plugin) && !calling.includes(plugin.name),
    error: ({ path, value }) => forbidden(`${path}.kubeconfigSecretName`, `${value.name} calls nobody`),
  }),
  rule<Plugin>({
    at: ofKubernetes,
    check: ({ name, config }) => name === 'PodSecurity' && config !== undefined && !isPodSecurity(config),
    error: ({ path, value }) =>
      invalid(`${path}.config`, value.config, `must be a valid PodSecurityConfiguration of ${podSecurityVersions[0]}`),
  }),
  rule<Plugin>({
    at: [`${gardenerAPIServer}.admissionPlugins[]`],
    check: ({ name }) => name !== '' && !gardenerPlugins.includes(name),
    error: ({ path, value }) => notSupported(`${path}.name`, value.name, gardenerPlugins),
  }),
]
