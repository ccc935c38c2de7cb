// The generated Secrets of a Garden, by the name of their config. The name of the Secret itself is longer: it changes with the config, the
// signing CA, and each rotation.
import { discoveryHost } from '../../../../shared/core/objects/garden.ts'
import {
  type PhasedCredential,
  phasedCredentials,
  type RotatedCredential,
} from '../../../../shared/core/objects/garden-rotation.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { usualProvider } from './encryption-key.ts'

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

type LeafConfig = {
  readonly make: 'certificate'
  readonly signer: AuthorityName
  /** The current CA signs, even if there is a former CA. */
  readonly isOfCurrent?: true
  readonly commonName: string
  readonly uses: readonly ('server' | 'client')[]
  readonly names: readonly string[]
  readonly hasAuthority?: true
  readonly organization?: string
  /** The lifetime. Absent: usualDays. */
  readonly minutes?: number
}

export type SecretConfig = (
  | { readonly make: 'authority'; readonly days: number }
  | LeafConfig
  | { readonly make: 'rsaKey'; readonly bits: number }
  | { readonly make: 'encryptionKey' }
  | { readonly make: 'staticToken' | 'basicAuth'; readonly user: string }
  | { readonly make: 'kubeconfig' }
) & {
  /** The rotation that replaces the Secret when it starts. */
  readonly rotation?: RotatedCredential
  readonly isOldKept?: true
  /** How long the former Secret is kept beside the new Secret. Absent: until the rotation is in phase Completing. */
  readonly formerHours?: number
  readonly isPersistent?: true
  /** The provider that uses a key created now. */
  readonly provider?: string
}

/** The fields that determine the Secret's name. The provider is not included, because a new provider waits for a new key. */
export const contentOf = (config: SecretConfig): object => {
  const { rotation, isOldKept, formerHours, isPersistent, provider, ...content } = config
  return content
}

/** The lifetime of certificates whose config has no lifetime. */
export const usualDays = 3650

export const secretConfig = ({ garden, settings }: About, name: SecretConfigName): SecretConfig => {
  if (isAuthorityName(name)) return authority(name, settings)
  const domains = garden.spec.virtualCluster.dns.domains ?? []
  const publicNames = domains.flatMap(domain => [`api.${domain.name}`, `gardener.${domain.name}`])
  const config = configs[name](publicNames, garden)
  return config.make === 'encryptionKey' ? { ...config, provider: wantedProvider(garden) } : config
}

/** The provider of both API servers, because admission requires the same provider. */
export const wantedProvider = ({ spec }: World['garden']): string =>
  spec.virtualCluster.kubernetes.kubeAPIServer?.encryptionConfig?.provider?.type ?? usualProvider

export const phasedRotation = (world: About, name: SecretConfigName): PhasedCredential | undefined => {
  const { rotation } = secretConfig(world, name)
  return phasedCredentials.find(credential => credential === rotation)
}

type About = Pick<World, 'garden' | 'settings'>

export const withSigners = (world: About, names: readonly SecretConfigName[]): readonly SecretConfigName[] => {
  const signers = names.flatMap(name => {
    const config = secretConfig(world, name)
    return config.make === 'certificate' ? [config.signer] : []
  })
  return [...new Set([...names, ...signers])]
}

const isAuthorityName = (name: SecretConfigName): name is AuthorityName =>
  (authorityNames as readonly string[]).includes(name)

const authority = (name: AuthorityName, { runtimeAuthoritySeconds }: World['settings']): SecretConfig =>
  name === 'ca-garden-runtime'
    ? { make: 'authority', days: runtimeAuthoritySeconds / 86_400, isOldKept: true, formerHours: 24 }
    : { make: 'authority', days: usualDays, isOldKept: true, rotation: 'certificateAuthorities' }

const serviceNames = (service: string): string[] =>
  ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map(end => service + end)

const loopback = ['localhost', '127.0.0.1', '::1']

const server = (signer: AuthorityName, commonName: string, names: readonly string[]): LeafConfig => ({
  make: 'certificate',
  signer,
  commonName,
  uses: ['server'],
  names,
})

/** A server whose clients get the CA bundle from us. So the new CA can sign its certificate immediately. */
const currentServer = (signer: AuthorityName, commonName: string, names: readonly string[]): LeafConfig => ({
  ...server(signer, commonName, names),
  isOfCurrent: true,
})

const client = (signer: AuthorityName, commonName: string): LeafConfig => ({
  make: 'certificate',
  signer,
  commonName,
  uses: ['client'],
  names: [],
})

const etcdServer = (role: 'main' | 'events'): LeafConfig => {
  const etcd = virtualGarden(`etcd-${role}`)
  const names = [`${etcd}-client`, `${etcd}-local`, `*.${etcd}-peer`].flatMap(serviceNames)
  return { ...server('ca-etcd', 'etcd-server', [...names, ...loopback]), uses: ['server', 'client'] }
}

const etcdPeer = (role: 'main' | 'events'): LeafConfig => {
  const peers = `${virtualGarden(`etcd-${role}`)}-peer`
  const names = [peers, `*.${peers}`].flatMap(serviceNames)
  return { ...server('ca-etcd-peer', 'etcd-server', names), uses: ['server', 'client'], isOfCurrent: true }
}

const encryptionKey: SecretConfig = {
  make: 'encryptionKey',
  rotation: 'etcdEncryptionKey',
  isOldKept: true,
  isPersistent: true,
}

const apiserver = virtualGarden('kube-apiserver')
const controllerManager = virtualGarden('kube-controller-manager')
const resourceManagers = ['gardener-resource-manager', virtualGarden('gardener-resource-manager')] as const

type Making = (publicNames: readonly string[], garden: World['garden']) => SecretConfig

const configs: Record<Exclude<SecretConfigName, AuthorityName>, Making> = {
  'kube-apiserver': publicNames => ({
    ...server('ca', apiserver, [...serviceNames(apiserver), ...publicNames, ...loopback]),
    hasAuthority: true,
  }),
  'kube-controller-manager-server': () => server('ca', controllerManager, serviceNames(controllerManager)),
  'etcd-server-main': () => etcdServer('main'),
  'etcd-server-events': () => etcdServer('events'),
  'etcd-client': () => client('ca-etcd', 'etcd-client'),
  'etcd-peer-server-main': () => etcdPeer('main'),
  'etcd-peer-server-events': () => etcdPeer('events'),
  'kube-aggregator': () => client('ca-front-proxy', 'system:kube-aggregator'),
  'gardener-apiserver': () =>
    server('ca-gardener', 'gardener-apiserver', [
      ...serviceNames('gardener-apiserver'),
      ...['', '.svc', '.svc.cluster.local'].map(end => `gardener-apiserver.kube-system${end}`),
    ]),
  'gardener-resource-manager-server': () =>
    currentServer('ca-garden-runtime', resourceManagers[0], resourceManagers.flatMap(serviceNames)),
  'gardener-resource-manager-bootstrap': () => ({
    ...client('ca-client', 'gardener.cloud:system:gardener-resource-manager'),
    organization: 'system:masters',
    minutes: 10,
  }),
  'vpa-admission-controller-server': () =>
    currentServer('ca-garden-runtime', 'vpa-webhook', serviceNames('vpa-webhook')),
  'gardener-admission-controller': () =>
    currentServer('ca-gardener', 'gardener-admission-controller', serviceNames('gardener-admission-controller')),
  // For a public address, no client accepts a longer lifetime.
  'gardener-discovery-server-tls': (_, garden) => ({
    ...server('ca-gardener', 'gardener-discovery-server', [discoveryHost(garden)]),
    minutes: 730 * 24 * 60,
  }),
  'service-account-key': () => ({
    make: 'rsaKey',
    bits: 4096,
    rotation: 'serviceAccountKey',
    isOldKept: true,
    isPersistent: true,
  }),
  'gardener-apiserver-workload-identity-signing-key': () => ({
    make: 'rsaKey',
    bits: 4096,
    rotation: 'workloadIdentityKey',
    isOldKept: true,
  }),
  'kube-apiserver-etcd-encryption-key': () => encryptionKey,
  'gardener-apiserver-etcd-encryption-key': () => encryptionKey,
  'kube-apiserver-static-token': () => ({
    make: 'staticToken',
    user: 'health-check',
    rotation: 'certificateAuthorities',
  }),
  'observability-ingress': () => ({ make: 'basicAuth', user: 'admin', rotation: 'observability' }),
  'generic-token-kubeconfig': () => ({ make: 'kubeconfig', isOldKept: true }),
}
