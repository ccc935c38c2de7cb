// Where kube-apiserver finds its files.

export const kubeApiServerFolders = {
  ca: '/srv/kubernetes/ca',
  caClient: '/srv/kubernetes/ca-client',
  caFrontProxy: '/srv/kubernetes/ca-front-proxy',
  serviceAccountKey: '/srv/kubernetes/service-account-key',
  serviceAccountKeyBundle: '/srv/kubernetes/service-account-key-bundle',
  token: '/srv/kubernetes/token',
  aggregator: '/srv/kubernetes/aggregator',
  oidc: '/srv/kubernetes/oidc',
  sni: '/srv/kubernetes/tls-sni/0',
  authenticationWebhook: '/etc/kubernetes/webhook/authentication',
  authorizationWebhook: '/etc/kubernetes/webhook/authorization',
  authentication: '/etc/kubernetes/structured/authentication',
  authorization: '/etc/kubernetes/structured/authorization',
} as const
