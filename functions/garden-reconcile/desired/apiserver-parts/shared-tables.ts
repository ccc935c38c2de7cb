// Flags and files that kube-apiserver and gardener-apiserver share (see api-server.ts for their use).
import { secretNow } from '../../rules/secrets/secrets-now.ts'
import { encryptionConfiguration } from '../apiserver/encryption-config.ts'
import { admissionFiles, admissionFlags, admissionReferences } from './admission-files.ts'
import type { ApiServer } from './api-server.ts'
import { auditFiles, auditFlags, auditReferences } from './audit-files.ts'
import { bundleFiles, type MountedFiles, secretFiles } from './file-table.ts'
import { type Flag, fixedFlags, joined, switches, tlsCipherSuites } from './flag-table.ts'
import { contentFaults, referenceFault } from './referenced.ts'

const folders = {
  etcdCa: '/srv/kubernetes/etcd/ca',
  etcdClient: '/srv/kubernetes/etcd/client',
  server: '/srv/kubernetes/apiserver',
  encryption: '/etc/kubernetes/etcd-encryption-secret',
} as const

export const sharedFlags: readonly Flag<ApiServer>[] = [
  ...fixedFlags({
    'etcd-cafile': `${folders.etcdCa}/bundle.crt`,
    'etcd-certfile': `${folders.etcdClient}/tls.crt`,
    'etcd-keyfile': `${folders.etcdClient}/tls.key`,
    'etcd-servers': 'https://virtual-garden-etcd-main-client:2379',
    'tls-cert-file': `${folders.server}/tls.crt`,
    'tls-private-key-file': `${folders.server}/tls.key`,
    'tls-cipher-suites': tlsCipherSuites.join(),
    'encryption-provider-config': `${folders.encryption}/encryption-configuration.yaml`,
    'http2-max-streams-per-connection': 1000,
    'livez-grace-period': '1m',
    profiling: false,
    'shutdown-delay-duration': '15s',
  }),
  ...admissionFlags,
  ...auditFlags,
  { flag: 'feature-gates', value: ({ fields }) => switches(fields.featureGates) },
  { flag: 'max-requests-inflight', value: ({ fields }) => fields.requests?.maxNonMutatingInflight },
  { flag: 'max-mutating-requests-inflight', value: ({ fields }) => fields.requests?.maxMutatingInflight },
  { flag: 'v', value: ({ fields }) => fields.logging?.verbosity },
  { flag: 'vmodule', value: ({ fields }) => httpLog(fields.logging?.httpAccessVerbosity) },
  { flag: 'default-watch-cache-size', value: ({ fields }) => fields.watchCacheSizes?.default },
  { flag: 'watch-cache-sizes', value: ({ fields }) => joined(cacheSizes(fields.watchCacheSizes?.resources ?? [])) },
]

export const sharedFiles: readonly MountedFiles<ApiServer>[] = [
  bundleFiles('ca-etcd', folders.etcdCa),
  secretFiles('etcd-client', folders.etcdClient),
  { volume: 'server', folder: folders.server, from: ({ world, certificate }) => secretNow(world, certificate) },
  {
    volume: 'etcd-encryption-secret',
    folder: folders.encryption,
    isOurs: true,
    from: ({ world, name }) => encryptionConfiguration(world, name),
  },
  ...admissionFiles,
  ...auditFiles,
]

export const sharedReferenceFaults = (server: ApiServer): string[] => [
  ...[...auditReferences(server), ...admissionReferences(server)].flatMap(
    reference => referenceFault(server.world, reference) ?? [],
  ),
  ...contentFaults(server.world, server.name),
]

const httpLog = (verbosity: number | undefined): string | undefined =>
  verbosity === undefined ? undefined : `httplog=${verbosity}`

type CacheSize = { readonly apiGroup?: string; readonly resource: string; readonly size: number }

const cacheSizes = (resources: readonly CacheSize[]): string[] =>
  resources.map(({ apiGroup, resource, size }) => `${resource}${apiGroup ? `.${apiGroup}` : ''}#${size}`)
