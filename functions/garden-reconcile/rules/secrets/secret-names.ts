// The generated Secrets of a Garden, by the name of their config. The name of the Secret itself is longer: it changes with the config, the
// signing CA, and each rotation.

/** The CAs of the virtual garden, and the CA for webhooks and servers of the runtime cluster. */
export const authorityNames = [
  ...['ca-garden-runtime', 'ca', 'ca-client', 'ca-front-proxy', 'ca-etcd', 'ca-etcd-peer', 'ca-gardener'],
] as const

export type AuthorityName = (typeof authorityNames)[number]

export const signingKeyNames = ['service-account-key', 'gardener-apiserver-workload-identity-signing-key'] as const

export const secretConfigNames = [
  ...authorityNames,
  ...['kube-apiserver', 'kube-controller-manager-server', 'etcd-server-main', 'etcd-server-events', 'etcd-client'],
  ...['etcd-peer-server-main', 'etcd-peer-server-events', 'kube-aggregator', 'gardener-apiserver'],
  ...[
    'gardener-resource-manager-server',
    'gardener-resource-manager-bootstrap',
    'vpa-admission-controller-server',
    'gardener-admission-controller',
    'gardener-discovery-server-tls',
  ],
  ...signingKeyNames,
  ...['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'],
  ...['kube-apiserver-static-token', 'observability-ingress', 'generic-token-kubeconfig'],
] as const

export type SecretConfigName = (typeof secretConfigNames)[number]

/** Configs with a bundle of the current and the former Secret: `<name>-bundle`. */
export type BundledName = AuthorityName | (typeof signingKeyNames)[number]
