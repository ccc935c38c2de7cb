// Files with which kube-apiserver authenticates clients, besides its own certificates and tokens, and authorizes them: by RBAC, then by the
// seed authorizer, then by the Garden's webhooks. Only requests of Seeds reach the seed authorizer, so kube-apiserver can serve all other
// users before gardener-admission-controller exists.
import { minorOf } from '../../../../shared/core/apiserver/garden-contents.ts'
import { type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../../../shared/core/json/json.ts'
import { yamlOrNothing } from '../../../../shared/core/yaml/read.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { caBundleNow } from '../../rules/secrets/existing-secrets.ts'
import { kubeconfigOf, type ReferencedKey, referencedText } from '../apiserver-parts/api-server.ts'
import { type MountedFiles, ownFiles } from '../apiserver-parts/pod-tables.ts'
import { configMap, configSecret, kubeconfigText } from '../parts/config-object.ts'
import { kubeApiServerFolders as folders, type KubeApiServer } from './kube-apiserver.ts'

export const accessFiles: readonly MountedFiles<KubeApiServer>[] = [
  ownFiles(
    'authentication-config',
    folders.authentication,
    server =>
      server.fields.structuredAuthentication &&
      configMap('kube-apiserver-authentication-config', { 'config.yaml': configText(server) }),
  ),
  ownFiles('authentication-webhook', folders.authenticationWebhook, ({ world, fields: { authentication } }) => {
    const reference = authentication?.webhook && kubeconfigOf(authentication.webhook.kubeconfigSecretName)
    const name = 'kube-apiserver-authentication-webhook'
    return reference && configSecret(name, { 'kubeconfig.yaml': referencedText(world, reference) })
  }),
  ownFiles('oidc', folders.oidc, ({ fields: { oidcConfig } }) =>
    oidcConfig?.caBundle ? configMap('kube-apiserver-oidc', { 'ca.crt': oidcConfig.caBundle }) : undefined,
  ),
  ownFiles('authorization-config', folders.authorization, server =>
    configSecret('kube-apiserver-authorization-config', texts(server)),
  ),
]

export const accessReferences = ({ fields }: KubeApiServer): ReferencedKey[] => {
  const { structuredAuthentication, authentication, structuredAuthorization } = fields
  return [
    ...(structuredAuthentication ? [configOf(structuredAuthentication.configMapName)] : []),
    ...(authentication?.webhook ? [kubeconfigOf(authentication.webhook.kubeconfigSecretName)] : []),
    ...(structuredAuthorization ? [configOf(structuredAuthorization.configMapName)] : []),
    ...(structuredAuthorization?.kubeconfigs ?? []).map(({ secretName }) => kubeconfigOf(secretName)),
  ]
}

const configOf = (name: string): ReferencedKey => ({ kind: 'ConfigMap', name, key: 'config.yaml' })

export const authenticationConfig = (server: KubeApiServer): unknown => yamlOrNothing(configText(server))

const configText = ({ world, fields: { structuredAuthentication } }: KubeApiServer): string =>
  structuredAuthentication ? referencedText(world, configOf(structuredAuthentication.configMapName)) : ''

const seedAuthorizer = 'seed-authorizer'

const kubeconfigFile = (authorizer: string): string => `${authorizer.toLowerCase()}-kubeconfig.yaml`

const texts = (server: KubeApiServer): Record<string, string> => {
  const { world, fields } = server
  const kubeconfigs = fields.structuredAuthorization?.kubeconfigs ?? []
  return {
    'config.yaml': yamlOf(configuration(server)),
    ...Object.fromEntries(
      kubeconfigs.map(({ authorizerName, secretName }) => [
        kubeconfigFile(authorizerName),
        referencedText(world, kubeconfigOf(secretName)),
      ]),
    ),
    // The last entry, so that no kubeconfig of the Garden replaces it.
    [kubeconfigFile(seedAuthorizer)]: seedKubeconfig(server),
  }
}

const configuration = (server: KubeApiServer): JsonMap => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthorizationConfiguration',
  ...given(server),
  authorizers: [
    { type: 'RBAC', name: 'rbac' },
    connected({ type: 'Webhook', name: seedAuthorizer, webhook: seedWebhook }),
    ...givenWebhooks(server).map(connected),
  ],
})

const given = ({ world, fields: { structuredAuthorization } }: KubeApiServer): JsonMap =>
  structuredAuthorization
    ? mapOrEmpty(yamlOrNothing(referencedText(world, configOf(structuredAuthorization.configMapName))))
    : {}

const givenWebhooks = (server: KubeApiServer): JsonMap[] =>
  mapsIn(given(server).authorizers)
    .filter(({ type }) => type === 'Webhook')
    .map(authorizer => (minorOf(server.world.garden) < 34 ? withoutCacheFields(authorizer) : authorizer))

/** kube-apiserver before 1.34 does not know these fields, and does not start with unknown fields. */
const withoutCacheFields = (authorizer: JsonMap): JsonMap => {
  const { cacheAuthorizedRequests, cacheUnauthorizedRequests, ...webhook } = mapOrEmpty(authorizer.webhook)
  return { ...authorizer, webhook }
}

/** A webhook always uses the kubeconfig with its own name. A path in the Garden's configuration could name any file of the Pod. */
const connected = (authorizer: JsonMap): JsonMap => {
  const kubeConfigFile = `${folders.authorization}/${kubeconfigFile(shownText(authorizer.name))}`
  return {
    ...authorizer,
    webhook: { ...mapOrEmpty(authorizer.webhook), connectionInfo: { type: 'KubeConfigFile', kubeConfigFile } },
  }
}

/** Answers must not be cached. kube-apiserver does not accept 0, so the shortest time is used, 1ns. */
const seedWebhook = {
  authorizedTTL: '1ns',
  unauthorizedTTL: '1ns',
  timeout: '10s',
  failurePolicy: 'Deny',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  matchConditions: [{ expression: "'gardener.cloud:system:seeds' in request.groups" }],
}

const seedKubeconfig = ({ world }: KubeApiServer): string => {
  const ca = caBundleNow(world, 'ca-gardener')
  const server = 'https://gardener-admission-controller/webhooks/auth/seed'
  return kubeconfigText(seedAuthorizer, { server, 'certificate-authority-data': ca }, {})
}
