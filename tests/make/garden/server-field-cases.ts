// Every field of an API server alone, or with what it means nothing without.
import type { KubeApiServerFields } from '../../../functions/garden-reconcile/desired/apiserver/kube-apiserver.ts'

const oidc = { issuerURL: 'https://issuer.example.com', clientID: 'garden' }

export const serverFieldCases: readonly KubeApiServerFields[] = [
  { admissionPlugins: [{ name: 'EventRateLimit', config: { limits: [] } }] },
  { admissionPlugins: [{ name: 'Priority', disabled: true }] },
  { admissionPlugins: [{ name: 'ImagePolicyWebhook', kubeconfigSecretName: 'webhook' }] },
  { admissionPlugins: [{ name: 'ImagePolicyWebhook', config: { imagePolicy: { kubeConfigFile: '/any/file' } } }] },
  {
    admissionPlugins: [
      { name: 'ValidatingAdmissionWebhook', config: { kind: 'WebhookAdmission', kubeConfigFile: '/any/file' } },
      { name: 'MutatingAdmissionWebhook', config: { kubeConfigFile: '/any' }, kubeconfigSecretName: 'webhook' },
    ],
  },
  { admissionPlugins: [{ name: 'PodSecurity', config: { exemptions: { namespaces: ['mine'] } } }] },
  { apiAudiences: ['a', 'b'] },
  { auditConfig: { auditPolicy: { configMapRef: { name: 'policy' } } } },
  { auditWebhook: { kubeconfigSecretName: 'webhook', batchMaxSize: 30, version: 'audit.k8s.io/v1' } },
  { authentication: { webhook: { kubeconfigSecretName: 'webhook', cacheTTL: '2m', version: 'v1' } } },
  { autoscaling: { minAllowed: { cpu: '1', memory: '2Gi' } } },
  { defaultNotReadyTolerationSeconds: 10 },
  { defaultUnreachableTolerationSeconds: 20 },
  { enableAnonymousAuthentication: true },
  { encryptionConfig: { provider: { type: 'aescbc' } } },
  { eventTTL: '2h' },
  { featureGates: { B: false, A: true } },
  { logging: { verbosity: 4, httpAccessVerbosity: 3 } },
  { oidcConfig: oidc },
  {
    oidcConfig: {
      ...oidc,
      caBundle: 'PEM',
      usernameClaim: 'u',
      usernamePrefix: 'up',
      groupsClaim: 'g',
      groupsPrefix: 'gp',
    },
  },
  { oidcConfig: { ...oidc, signingAlgs: ['RS256', 'ES256'], requiredClaims: { b: '2', a: '1' } } },
  { requests: { maxMutatingInflight: 100, maxNonMutatingInflight: 200 } },
  { resourcesToStoreInETCDEvents: [{ group: 'apps', resource: 'deployments' }] },
  { runtimeConfig: { 'apps/v1': true, 'api/beta': true } },
  { serviceAccountConfig: { issuer: 'https://issuer', acceptedIssuers: ['https://old'] } },
  { serviceAccountConfig: { extendTokenExpiration: false, maxTokenExpiration: '720h' } },
  { sni: { secretName: 'certificate', domainPatterns: ['*.example.com', 'x.org'] } },
  { structuredAuthentication: { configMapName: 'authentication' } },
  {
    structuredAuthorization: {
      configMapName: 'authorization',
      kubeconfigs: [{ authorizerName: 'Extra', secretName: 'webhook' }],
    },
  },
  { tlsMinVersion: 'VersionTLS13' },
  {
    watchCacheSizes: {
      default: 50,
      resources: [
        { resource: 'secrets', size: 5 },
        { apiGroup: 'apps', resource: 'deployments', size: 6 },
      ],
    },
  },
]
