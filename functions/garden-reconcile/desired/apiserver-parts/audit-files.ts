// The audit policy of an API server, and its audit webhook.
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { configMap, configSecret } from '../parts/config-object.ts'
import type { ApiServer } from './api-server.ts'
import type { MountedFiles } from './file-table.ts'
import type { Flag } from './flag-table.ts'
import { type ReferencedKey, referencedText } from './referenced.ts'

const folder = '/etc/kubernetes/audit'
const webhookFolder = '/etc/kubernetes/webhook/audit'

export const auditFlags: readonly Flag<ApiServer>[] = [
  { flag: 'audit-policy-file', value: () => `${folder}/audit-policy.yaml` },
  {
    flag: 'audit-webhook-config-file',
    value: ({ fields }) => fields.auditWebhook && `${webhookFolder}/kubeconfig.yaml`,
  },
  { flag: 'audit-webhook-batch-max-size', value: ({ fields }) => fields.auditWebhook?.batchMaxSize },
  { flag: 'audit-webhook-version', value: ({ fields }) => fields.auditWebhook?.version },
]

export const auditFiles: readonly MountedFiles<ApiServer>[] = [
  {
    volume: 'audit-policy',
    folder,
    isOurs: true,
    from: server => configMap(`${server.name}-audit-policy`, { 'audit-policy.yaml': policyText(server) }),
  },
  {
    volume: 'audit-webhook',
    folder: webhookFolder,
    isOurs: true,
    from: ({ world, name, fields: { auditWebhook } }) =>
      auditWebhook &&
      configSecret(`${name}-audit-webhook`, {
        'kubeconfig.yaml': referencedText(world, kubeconfigOf(auditWebhook.kubeconfigSecretName)),
      }),
  },
]

export const auditReferences = ({ fields }: ApiServer): ReferencedKey[] => {
  const policy = policyOf(fields)
  const { auditWebhook } = fields
  return [...(policy ? [policy] : []), ...(auditWebhook ? [kubeconfigOf(auditWebhook.kubeconfigSecretName)] : [])]
}

export const kubeconfigOf = (name: string): ReferencedKey => ({ kind: 'Secret', name, key: 'kubeconfig' })

const policyOf = ({ auditConfig }: ApiServer['fields']): ReferencedKey | undefined => {
  const { name } = auditConfig?.auditPolicy?.configMapRef ?? {}
  return name ? { kind: 'ConfigMap', name, key: 'policy' } : undefined
}

const policyText = ({ world, fields }: ApiServer): string => {
  const policy = policyOf(fields)
  return policy ? referencedText(world, policy) : silentPolicy
}

const silentPolicy = yamlOf({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'None' }] })
