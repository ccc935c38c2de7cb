// Every field of kube-apiserver that a real one of the newest minor takes, in two sets: what clients are and may do is told by
// structured configurations, or by fields of their own; and what they refer to.
import { stringify } from 'yaml'
import type { KubeApiServerFields } from '../../../functions/garden-reconcile/desired/apiserver/kube-apiserver.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Certified } from '../../harness/clients/certificates.ts'
import { base64, kubeconfig } from '../../harness/clients/kubeconfig.ts'
import { mountedConfigMap, mountedSecret } from './virtual-garden.ts'

const rateLimits = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' }
const podSecurity = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' }

const shared: KubeApiServerFields = {
  admissionPlugins: [
    { name: 'EventRateLimit', config: { ...rateLimits, limits: [{ type: 'Server', qps: 50, burst: 100 }] } },
    { name: 'ImagePolicyWebhook', kubeconfigSecretName: 'webhook' },
    { name: 'MutatingAdmissionWebhook', kubeconfigSecretName: 'webhook' },
    { name: 'PodNodeSelector', config: { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'a=b' } } },
    { name: 'PodSecurity', config: { ...podSecurity, exemptions: { namespaces: ['mine'] } } },
    { name: 'LimitRanger', disabled: true },
  ],
  apiAudiences: ['a', 'b'],
  auditConfig: { auditPolicy: { configMapRef: { name: 'policy' } } },
  auditWebhook: { kubeconfigSecretName: 'webhook', batchMaxSize: 30, version: 'audit.k8s.io/v1' },
  authentication: { webhook: { kubeconfigSecretName: 'webhook', cacheTTL: '2m', version: 'v1' } },
  defaultNotReadyTolerationSeconds: 10,
  defaultUnreachableTolerationSeconds: 20,
  eventTTL: '2h',
  featureGates: { MutatingAdmissionPolicy: true },
  logging: { verbosity: 2, httpAccessVerbosity: 3 },
  requests: { maxMutatingInflight: 100, maxNonMutatingInflight: 200 },
  resourcesToStoreInETCDEvents: [{ group: 'networking.k8s.io', resource: 'networkpolicies' }],
  runtimeConfig: { 'apps/v1': true, 'api/beta': true },
  serviceAccountConfig: {
    issuer: 'https://issuer.example.com',
    acceptedIssuers: ['https://former.example.com'],
    extendTokenExpiration: false,
    maxTokenExpiration: '720h',
  },
  sni: { secretName: 'certificate', domainPatterns: ['*.example.com', 'x.org'] },
  watchCacheSizes: {
    resources: [
      { resource: 'secrets', size: 5 },
      { apiGroup: 'apps', resource: 'deployments', size: 6 },
    ],
  },
}

export const structuredFields: KubeApiServerFields = {
  ...shared,
  structuredAuthentication: { configMapName: 'authentication' },
  structuredAuthorization: {
    configMapName: 'authorization',
    kubeconfigs: [{ authorizerName: 'extra', secretName: 'webhook' }],
  },
  tlsMinVersion: 'VersionTLS12',
}

/** `authority`: a certificate in PEM. */
export const plainFields = (authority: string): KubeApiServerFields => ({
  ...shared,
  oidcConfig: {
    issuerURL: 'https://identity.example.com',
    clientID: 'garden',
    caBundle: authority,
    usernameClaim: 'sub',
    usernamePrefix: 'up:',
    groupsClaim: 'groups',
    groupsPrefix: 'gp:',
    signingAlgs: ['RS256', 'ES256'],
    requiredClaims: { a: '1', b: '2' },
  },
  tlsMinVersion: 'VersionTLS13',
})

/** `server`: shown for domains of the landscape's own. */
export const referredByFields = (authority: string, server: Certified): KubeObject[] => {
  const access = kubeconfig({ url: 'https://127.0.0.1:1', caData: base64(authority) }, { token: 'some' })
  return [
    mountedSecret('webhook', { kubeconfig: access }),
    mountedSecret('certificate', { 'tls.crt': server.certificate, 'tls.key': server.key }),
    mountedConfigMap('policy', { policy: stringify({ ...auditPolicy, rules: [{ level: 'Metadata' }] }) }),
    mountedConfigMap('authentication', { 'config.yaml': stringify(authentication) }),
    mountedConfigMap('authorization', { 'config.yaml': stringify(authorization) }),
  ]
}

const auditPolicy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' }

const authentication = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  jwt: [
    {
      issuer: { url: 'https://identity.example.com', audiences: ['garden'] },
      claimMappings: { username: { claim: 'sub', prefix: '' } },
    },
  ],
}

const authorization = {
  authorizers: [
    { type: 'RBAC', name: 'mine' },
    {
      type: 'Webhook',
      name: 'extra',
      webhook: {
        timeout: '3s',
        failurePolicy: 'NoOpinion',
        subjectAccessReviewVersion: 'v1',
        authorizedTTL: '1m',
        unauthorizedTTL: '1m',
        matchConditionSubjectAccessReviewVersion: 'v1',
        connectionInfo: { type: 'InClusterConfig' },
      },
    },
  ],
}
