// The folder of one control plane: keys, kubeconfigs, and a description by which other processes find it. components.ts says which program reads
// which file.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Authority, type Certified, newAuthority, newKeyPair } from '../clients/certificates.ts'
import { base64, type Endpoint, kubeconfig } from '../clients/kubeconfig.ts'

/** The folder of a control plane, and its ports on the loopback interface. */
export type Site = { readonly dir: string; readonly etcdPort: number; readonly apiServerPort: number }

/** All that a client needs; plain data, so that it can be handed to another process. */
export type Cluster = Endpoint & {
  readonly port: number
  /** A client certificate of the group `system:masters`, which may do everything without RBAC. */
  readonly admin: Certified
  readonly kubeconfig: string
  readonly kubeconfigPath: string
}

const files = {
  authority: 'ca.crt',
  authorityKey: 'ca.key',
  serving: 'kube-apiserver.crt',
  servingKey: 'kube-apiserver.key',
  tokenPublicKey: 'service-accounts.pub',
  tokenPrivateKey: 'service-accounts.key',
  admin: 'admin.kubeconfig',
  controllerManager: 'kube-controller-manager.kubeconfig',
  scheduler: 'kube-scheduler.kubeconfig',
  description: 'cluster.json',
} as const

/** The path of a site's file. */
export function siteFile(site: Pick<Site, 'dir'>, name: keyof typeof files): string {
  return join(site.dir, files[name])
}

export function apiServerUrl(site: Site): string {
  return `https://127.0.0.1:${site.apiServerPort}`
}

/**
 * Writes all files that must exist before the first program starts, and removes data of an earlier run. The certificate of the API server names
 * `address` besides loopback.
 */
export async function furnish(site: Site, address?: string): Promise<Cluster> {
  await rm(join(site.dir, 'etcd'), { recursive: true, force: true })
  await mkdir(join(site.dir, 'logs'), { recursive: true })
  const authority = await newAuthority('espalier test cluster')
  const admin = await authority.client({ user: 'admin', groups: ['system:masters'] })
  const endpoint = { url: apiServerUrl(site), caData: base64(authority.certificate) }
  const cluster = {
    ...endpoint,
    port: site.apiServerPort,
    admin,
    kubeconfig: kubeconfig(endpoint, admin),
    kubeconfigPath: siteFile(site, 'admin'),
  }
  await writeFiles(site, {
    ...(await keys(authority, address ? [address] : [])),
    ...(await kubeconfigs(authority, cluster)),
  })
  return cluster
}

/** Lets other processes find the cluster by its folder. Call it when the cluster is ready. */
export async function describe(site: Pick<Site, 'dir'>, cluster: Cluster): Promise<void> {
  await writeFile(siteFile(site, 'description'), JSON.stringify(cluster, null, 2), { mode: 0o600 })
}

/** The cluster that lives in this folder, if one was described there. */
export function describedCluster(dir: string): Cluster | undefined {
  const path = siteFile({ dir }, 'description')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

type Contents = Partial<Record<keyof typeof files, string>>

async function keys(authority: Authority, addresses: readonly string[]): Promise<Contents> {
  const [serving, tokens] = await Promise.all([
    authority.serving({ dns: ['localhost', 'kubernetes.default.svc'], ip: ['127.0.0.1', '10.96.0.1', ...addresses] }),
    newKeyPair(),
  ])
  return {
    authority: authority.certificate,
    authorityKey: authority.key,
    serving: serving.certificate,
    servingKey: serving.key,
    tokenPublicKey: tokens.publicKey,
    tokenPrivateKey: tokens.privateKey,
  }
}

/** The programs use the users for which Kubernetes brings roles. */
async function kubeconfigs(authority: Authority, cluster: Cluster): Promise<Contents> {
  const [controllerManager, scheduler] = await Promise.all([
    authority.client({ user: 'system:kube-controller-manager' }),
    authority.client({ user: 'system:kube-scheduler' }),
  ])
  return {
    admin: cluster.kubeconfig,
    controllerManager: kubeconfig(cluster, controllerManager),
    scheduler: kubeconfig(cluster, scheduler),
  }
}

async function writeFiles(site: Site, contents: Contents): Promise<void> {
  for (const [name, text] of Object.entries(contents)) {
    await writeFile(join(site.dir, files[name as keyof typeof files]), text, { mode: 0o600 })
  }
}
