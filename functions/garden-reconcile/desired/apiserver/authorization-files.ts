// The authorizers of kube-apiserver: RBAC, then the seed authorizer, then the Garden's webhooks. Only requests of Seeds reach the seed
// authorizer, so kube-apiserver can serve all other users before gardener-admission-controller exists.
import { minorOf } from '../../../../shared/core/apiserver/garden-contents.ts'
import { type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../../../shared/core/json/json.ts'
import { yamlOrNothing } from '../../../../shared/core/yaml/read.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { caBundleNow } from '../../rules/secrets/secrets-now.ts'
import { kubeconfigOf } from '../apiserver-parts/audit-files.ts'
import type { MountedFiles } from '../apiserver-parts/file-table.ts'
import { type ReferencedKey, referencedText } from '../apiserver-parts/referenced.ts'
import { configSecret } from '../parts/config-object.ts'
import { kubeconfigText } from '../parts/kubeconfig.ts'
import { configOf } from './authentication-files.ts'
import type { KubeApiServer } from './kube-apiserver.ts'
import { kubeApiServerFolders as folders } from './kube-apiserver.ts'

export const authorizationFiles: readonly MountedFiles<KubeApiServer>[] = [
  {
    volume: 'authorization-config',
    folder: folders.authorization,
    isOurs: true,
    from: server => configSecret('kube-apiserver-authorization-config', texts(server)),
  },
]

export const authorizationReferences = ({ fields: { structuredAuthorization } }: KubeApiServer): ReferencedKey[] =>
  structuredAuthorization
    ? [
        configOf(structuredAuthorization.configMapName),
        ...structuredAuthorization.kubeconfigs.map(({ secretName }) => kubeconfigOf(secretName)),
      ]
    : []

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

const configuration = (server: KubeApiServer): JsonMap => {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    ...given(server),
    authorizers: [
      { type: 'RBAC', name: 'rbac' },
      connected({ type: 'Webhook', name: seedAuthorizer, webhook: seedWebhook }),
      ...givenWebhooks(server).map(connected),
    ],
  }
}

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
