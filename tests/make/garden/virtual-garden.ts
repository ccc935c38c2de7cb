// What a virtual garden's etcd and API server look like in a cluster, small: enough for a real program to start from.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'

type Texts = Readonly<Record<string, string>>

/** `texts` become its data. */
export const mountedSecret = (name: string, texts: Texts): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'garden' },
  data: encodedTexts(texts),
})

export const mountedConfigMap = (name: string, data: Texts): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'garden' },
  data,
})

/** An Etcd whose clients and peers show certificates; its Secrets are ca-etcd-bundle, etcd-server and etcd-client, and those of peers. */
export const virtualEtcd = ({ replicas }: { readonly replicas: number }): KubeObject => ({
  apiVersion: 'druid.gardener.cloud/v1alpha1',
  kind: 'Etcd',
  metadata: { name: 'virtual-garden-etcd-main', namespace: 'garden' },
  spec: {
    replicas,
    etcd: {
      metrics: 'extensive',
      quota: '8Gi',
      clientUrlTls: urlTls('ca-etcd-bundle', 'etcd-server'),
      peerUrlTls: urlTls('ca-etcd-peer-bundle', 'etcd-peer-server'),
    },
  },
})

const urlTls = (authority: string, server: string) => ({
  tlsCASecretRef: { name: authority, namespace: 'garden', dataKey: 'bundle.crt' },
  serverTLSSecretRef: { name: server, namespace: 'garden' },
  clientTLSSecretRef: { name: 'etcd-client', namespace: 'garden' },
})

const mounted = [
  ['ca', 'ca-bundle'],
  ['etcd/ca', 'ca-etcd-bundle'],
  ['etcd/client', 'etcd-client'],
  ['apiserver', 'kube-apiserver'],
  ['service-account-key', 'service-account-key'],
  ['token', 'static-token'],
  ['encryption', 'encryption'],
] as const

const volumeOf = (path: string): string => path.replaceAll('/', '-')
const keys = '/srv/kubernetes'

/** Its Secrets are those that it mounts, with ConfigMap audit; its kubelet asks with the token `abc`. */
export const virtualApiServer = (): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'virtual-garden-kube-apiserver', namespace: 'garden' },
  spec: { template: { spec: { containers: [container], volumes } } },
})

const volumes = [
  ...mounted.map(([path, secretName]) => ({ name: volumeOf(path), secret: { secretName } })),
  { name: 'audit', projected: { sources: [{ configMap: { name: 'audit' } }] } },
]

const container = {
  name: 'kube-apiserver',
  command: ['/usr/local/bin/kube-apiserver'],
  args: [
    '--etcd-servers=https://virtual-garden-etcd-main-client:2379',
    `--etcd-cafile=${keys}/etcd/ca/bundle.crt`,
    ...[`--etcd-certfile=${keys}/etcd/client/tls.crt`, `--etcd-keyfile=${keys}/etcd/client/tls.key`],
    ...[`--tls-cert-file=${keys}/apiserver/tls.crt`, `--tls-private-key-file=${keys}/apiserver/tls.key`],
    ...[`--client-ca-file=${keys}/ca/bundle.crt`, `--token-auth-file=${keys}/token/static_tokens.csv`],
    ...[`--service-account-key-file=${keys}/service-account-key/bundle.key`],
    ...[`--service-account-signing-key-file=${keys}/service-account-key/id_rsa`],
    `--encryption-provider-config=${keys}/encryption/encryption-configuration.yaml`,
    '--service-account-issuer=https://api.virtual.example.com',
    ...['--anonymous-auth=false', '--authorization-mode=RBAC', '--service-cluster-ip-range=100.64.0.0/13'],
    ...[
      '--audit-policy-file=/etc/kubernetes/audit/audit-policy.yaml',
      '--secure-port=443',
      '--shutdown-delay-duration=2s',
    ],
  ],
  readinessProbe: {
    httpGet: { path: '/readyz', port: 443, httpHeaders: [{ name: 'Authorization', value: 'Bearer abc' }] },
  },
  volumeMounts: [
    ...mounted.map(([path]) => ({ name: volumeOf(path), mountPath: `${keys}/${path}` })),
    { name: 'audit', mountPath: '/etc/kubernetes/audit' },
  ],
}
