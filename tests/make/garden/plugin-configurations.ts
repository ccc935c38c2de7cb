// Configurations of kube-apiserver's admission plugins.

const podSecurity = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' }
export const eventRateLimit = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' }
const tolerations = { apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1', kind: 'Configuration' }
const quotas = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' }
export const webhooks = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration' }
const limit = { type: 'Server', qps: 1, burst: 1 }

/** A configuration, and whether an API server starts with it. */
export const pluginConfigurations: readonly [name: string, config: object, isFit: boolean][] = [
  ['EventRateLimit', { ...eventRateLimit, limits: [limit, { ...limit, type: 'User', cacheSize: 5, more: 1 }] }, true],
  ['EventRateLimit', { ...eventRateLimit, limits: [{ ...limit, cacheSize: -1 }] }, true],
  ['EventRateLimit', { ...eventRateLimit, limits: [{ ...limit, type: 'Namespace', cacheSize: -1 }] }, false],
  ['EventRateLimit', { ...eventRateLimit, limits: [{ ...limit, type: 'Cluster' }] }, false],
  ['EventRateLimit', { ...eventRateLimit, limits: [{ ...limit, qps: 0 }] }, false],
  ['EventRateLimit', { ...eventRateLimit, limits: [{ ...limit, burst: 2 ** 31 }] }, false],
  ['EventRateLimit', { ...eventRateLimit, limits: [{ ...limit, burst: '1' }] }, false],
  ['EventRateLimit', eventRateLimit, false],
  ['EventRateLimit', { ...eventRateLimit, apiVersion: 'v1', limits: [limit] }, false],
  ['EventRateLimit', { limits: [limit] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', value: 'b' }], whitelist: null }, true],
  ['PodTolerationRestriction', { ...tolerations, whitelist: [{ operator: 'Exists', effect: 'NoSchedule' }] }, true],
  ['PodTolerationRestriction', { ...tolerations, whitelist: [{ value: 'b' }] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a b' }] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', value: 'b c' }] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', operator: 'Gt', value: '1' }] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', operator: 'Exists', value: 'b' }] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', effect: 'Never' }] }, false],
  ['PodTolerationRestriction', { ...tolerations, default: [{ key: 'a', tolerationSeconds: 1 }] }, false],
  [
    'PodTolerationRestriction',
    { ...tolerations, default: [{ key: 'a', effect: 'NoExecute', tolerationSeconds: 1 }] },
    true,
  ],
  ['ResourceQuota', { ...quotas, limitedResources: [{ resource: 'pods', matchScopes: [{ scopeName: 'a' }] }] }, true],
  ['ResourceQuota', { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration' }, true],
  ['ResourceQuota', { ...quotas, kind: 'Configuration' }, false],
  ['ResourceQuota', { ...quotas, limitedResources: [{ apiGroup: 'a' }] }, false],
  ['ResourceQuota', { ...quotas, limitedResources: [{ resource: 'pods', max: 1 }] }, false],
  ['ImagePolicyWebhook', { imagePolicy: { allowTTL: 1800, denyTTL: -1, retryBackoff: 300000, more: 1 } }, true],
  ['ImagePolicyWebhook', { imagePolicy: { allowTTL: 1801 } }, false],
  ['ImagePolicyWebhook', { imagePolicy: { denyTTL: -2 } }, false],
  ['ImagePolicyWebhook', { imagePolicy: { retryBackoff: 1.5 } }, false],
  ['ImagePolicyWebhook', { imagePolicy: [] }, false],
  ['MutatingAdmissionWebhook', { ...webhooks, kubeConfigFile: '/a' }, true],
  ['MutatingAdmissionWebhook', { ...webhooks, kind: 'WebhookAdmission' }, false],
  ['ValidatingAdmissionWebhook', { ...webhooks, kubeConfig: '/a' }, false],
  ['ValidatingAdmissionWebhook', { ...webhooks, staticManifestsDir: '/etc/none' }, false],
  ['PodNodeSelector', { podNodeSelectorPluginConfig: 1 }, true],
  ['PodSecurity', { ...podSecurity, exemptions: { usernames: ['a'], namespaces: null } }, true],
  ['PodSecurity', { ...podSecurity, defaults: { enforce: 'strict' } }, false],
]
