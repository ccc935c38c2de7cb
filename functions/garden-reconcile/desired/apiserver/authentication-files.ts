// Configurations with which kube-apiserver authenticates clients, besides its own certificates and tokens.
import { yamlOrNothing } from '../../../../shared/core/yaml/read.ts'
import { kubeconfigOf } from '../apiserver-parts/audit-files.ts'
import type { MountedFiles } from '../apiserver-parts/file-table.ts'
import { type ReferencedKey, referencedText } from '../apiserver-parts/referenced.ts'
import { configMap, configSecret } from '../parts/config-object.ts'
import type { KubeApiServer } from './kube-apiserver.ts'
import { kubeApiServerFolders as folders } from './kube-apiserver.ts'

export const authenticationFiles: readonly MountedFiles<KubeApiServer>[] = [
  {
    volume: 'authentication-config',
    folder: folders.authentication,
    isOurs: true,
    from: server =>
      server.fields.structuredAuthentication &&
      configMap('kube-apiserver-authentication-config', { 'config.yaml': configText(server) }),
  },
  {
    volume: 'authentication-webhook',
    folder: folders.authenticationWebhook,
    isOurs: true,
    from: ({ world, fields: { authentication } }) =>
      authentication?.webhook &&
      configSecret('kube-apiserver-authentication-webhook', {
        'kubeconfig.yaml': referencedText(world, kubeconfigOf(authentication.webhook.kubeconfigSecretName)),
      }),
  },
  {
    volume: 'oidc',
    folder: folders.oidc,
    isOurs: true,
    from: ({ fields: { oidcConfig } }) =>
      oidcConfig?.caBundle ? configMap('kube-apiserver-oidc', { 'ca.crt': oidcConfig.caBundle }) : undefined,
  },
]

export const authenticationReferences = ({ fields }: KubeApiServer): ReferencedKey[] => {
  const { structuredAuthentication, authentication } = fields
  return [
    ...(structuredAuthentication ? [configOf(structuredAuthentication.configMapName)] : []),
    ...(authentication?.webhook ? [kubeconfigOf(authentication.webhook.kubeconfigSecretName)] : []),
  ]
}

export const configOf = (name: string): ReferencedKey => ({ kind: 'ConfigMap', name, key: 'config.yaml' })

export const authenticationConfig = (server: KubeApiServer): unknown => yamlOrNothing(configText(server))

const configText = ({ world, fields: { structuredAuthentication } }: KubeApiServer): string =>
  structuredAuthentication ? referencedText(world, configOf(structuredAuthentication.configMapName)) : ''
