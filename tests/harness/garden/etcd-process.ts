// The processes that etcd-druid would make of an Etcd: one per replica, with the certificates, authorities, quota and metrics that the object names.
// Peers find each other on this machine. Nobody makes backups.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { quantityAmount } from '../../../shared/core/objects/quantity.ts'
import type { Component } from '../control-plane/components.ts'
import type { FindMounted } from '../processes/mounted-volumes.ts'

export type EtcdPlace = {
  /** The folder for data and keys of all members. */
  readonly dir: string
  readonly find: FindMounted
  /** The host on which etcd listens, as in a URL. Absent: 127.0.0.1. */
  readonly host?: string
  /** A pair of ports for every replica. */
  readonly ports: readonly EtcdPorts[]
}
export type EtcdPorts = { readonly client: number; readonly peer: number }

type SecretRef = { readonly name: string; readonly dataKey?: string }
type Tls = { readonly tlsCASecretRef: SecretRef; readonly serverTLSSecretRef: SecretRef }
type EtcdSpec = {
  readonly replicas: number
  readonly etcd: {
    readonly metrics?: string
    readonly quota?: string
    readonly clientUrlTls?: Tls
    readonly peerUrlTls?: Tls
  }
}

/** The members of the Etcd, with the names of their Pods. Their files are written when this resolves. */
export async function processesOfEtcd(etcd: KubeObject, place: EtcdPlace): Promise<Component[]> {
  const { replicas, etcd: settings } = etcd.spec as EtcdSpec
  const { name } = etcd.metadata
  const { clientUrlTls, peerUrlTls } = settings
  const url = (port: number, tls: Tls | undefined) => `${tls ? 'https' : 'http'}://${place.host ?? '127.0.0.1'}:${port}`
  const shared = {
    'initial-cluster': place.ports
      .slice(0, replicas)
      .map(({ peer }, index) => `${name}-${index}=${url(peer, peerUrlTls)}`)
      .join(','),
    'initial-cluster-token': 'etcd-cluster',
    'initial-cluster-state': 'new',
    metrics: settings.metrics ?? 'basic',
    ...(settings.quota && { 'quota-backend-bytes': String(quantityAmount(settings.quota)) }),
    ...(clientUrlTls && (await tlsFlags(clientUrlTls, { ...place, prefix: '' }))),
    ...(peerUrlTls && (await tlsFlags(peerUrlTls, { ...place, prefix: 'peer-' }))),
    // Only a power failure could lose data, and nobody would miss the data then.
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
  }
  return place.ports.slice(0, replicas).map(({ client, peer }, index) => {
    const member = `${name}-${index}`
    const flags = {
      name: member,
      'data-dir': join(place.dir, member),
      'listen-client-urls': url(client, clientUrlTls),
      'advertise-client-urls': url(client, clientUrlTls),
      'listen-peer-urls': url(peer, peerUrlTls),
      'initial-advertise-peer-urls': url(peer, peerUrlTls),
      ...shared,
    }
    return { program: 'etcd', name: member, args: Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`) }
  })
}

/** Clients and peers need a certificate of the authority. */
const tlsFlags = async (
  { tlsCASecretRef, serverTLSSecretRef }: Tls,
  { dir, find, prefix }: EtcdPlace & { readonly prefix: string },
): Promise<Record<string, string>> => {
  const folder = join(dir, `${prefix}tls`)
  const put = async (file: string, { name }: SecretRef, key: string): Promise<string> => {
    const { data } = ((await find('Secret', name)) ?? {}) as { data?: Record<string, string> }
    if (data?.[key] === undefined) throw new Error(`Secret ${name} has no key ${key}, which etcd needs`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, file), Buffer.from(data[key], 'base64'), { mode: 0o600 })
    return join(folder, file)
  }
  return {
    [`${prefix}trusted-ca-file`]: await put('ca.crt', tlsCASecretRef, tlsCASecretRef.dataKey ?? 'ca.crt'),
    [`${prefix}cert-file`]: await put('tls.crt', serverTLSSecretRef, 'tls.crt'),
    [`${prefix}key-file`]: await put('tls.key', serverTLSSecretRef, 'tls.key'),
    [`${prefix}client-cert-auth`]: 'true',
  }
}
