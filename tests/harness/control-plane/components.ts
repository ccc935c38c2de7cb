// The command line of each program of a control plane, and the files that it reads. control-plane.ts starts and stops the programs. Pure.
import { join } from 'node:path'
import type { Program } from './binaries.ts'
import { apiServerUrl, type Site, siteFile } from './control-plane-folder.ts'

export type Component = {
  readonly program: Program
  /** Distinguishes it from another process of the same program. */
  readonly name?: string
  readonly args: readonly string[]
}

export type ApiServerOptions = {
  /**
   * How long the next page of a LIST can be asked for before the answer is 410. The default is five minutes, as everywhere; `1s` makes it at most two
   * seconds. A WATCH is not affected, because it is served from memory. A WATCH from an old resourceVersion gets 410 after the API server was stopped
   * and started.
   */
  readonly etcdCompactionInterval?: string
  /** More flags for kube-apiserver, such as `--watch-cache=false`. The last occurrence of a flag counts. */
  readonly apiServerFlags?: readonly string[]
}

export function etcd(site: Site): Component {
  const url = etcdUrl(site)
  return {
    program: 'etcd',
    args: flags({
      'data-dir': join(site.dir, 'etcd'),
      // Only a power failure could lose data, and nobody would miss the data then.
      'unsafe-no-fsync': 'true',
      'listen-client-urls': url,
      'advertise-client-urls': url,
      // It has no peers; port 0 lets the kernel choose one that is free.
      'listen-peer-urls': 'http://127.0.0.1:0',
      'log-level': 'warn',
    }),
  }
}

export function kubeApiServer(site: Site, options: ApiServerOptions): Component {
  const args = flags({
    'etcd-servers': etcdUrl(site),
    'etcd-compaction-interval': options.etcdCompactionInterval ?? '5m',
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': String(site.apiServerPort),
    'tls-cert-file': siteFile(site, 'serving'),
    'tls-private-key-file': siteFile(site, 'servingKey'),
    'client-ca-file': siteFile(site, 'authority'),
    'authorization-mode': 'RBAC',
    // The server's own address, so that the issuer of a token leads to its discovery document.
    'service-account-issuer': apiServerUrl(site),
    'service-account-key-file': siteFile(site, 'tokenPublicKey'),
    'service-account-signing-key-file': siteFile(site, 'tokenPrivateKey'),
    // TokenRequest issues tokens for any audience; only these are accepted by the API server itself.
    'api-audiences': `${apiServerUrl(site)},https://kubernetes.default.svc`,
    'service-cluster-ip-range': '10.96.0.0/16',
    // There is no Pod network in which others could reach the API server through its Service.
    'endpoint-reconciler-type': 'none',
    'allow-privileged': 'true',
    profiling: 'false',
    // Otherwise snapshots in memory serve a page for ten seconds longer.
    ...(options.etcdCompactionInterval && { 'feature-gates': 'ListFromCacheSnapshot=false' }),
  })
  return { program: 'kube-apiserver', args: [...args, ...(options.apiServerFlags ?? [])] }
}

/** `controllers`: only these run. */
export function kubeControllerManager(site: Site, controllers?: readonly string[]): Component {
  return {
    program: 'kube-controller-manager',
    args: flags({
      kubeconfig: siteFile(site, 'controllerManager'),
      // Nodes get no Pod networks: there are no real ones.
      controllers: controllers?.join() ?? '*,-node-ipam-controller',
      'use-service-account-credentials': 'true',
      'service-account-private-key-file': siteFile(site, 'tokenPrivateKey'),
      'root-ca-file': siteFile(site, 'authority'),
      'cluster-signing-cert-file': siteFile(site, 'authority'),
      'cluster-signing-key-file': siteFile(site, 'authorityKey'),
      ...alone,
      'kube-api-qps': '500',
      'kube-api-burst': '1000',
    }),
  }
}

export function kubeScheduler(site: Site): Component {
  return { program: 'kube-scheduler', args: flags({ kubeconfig: siteFile(site, 'scheduler'), ...alone }) }
}

/** Plays the kubelet of every node that has `nodeAnnotation`. go/kwok/stages.yaml says how its Pods live and die. */
export function kwok(site: Site): Component {
  return {
    program: 'kwok',
    args: flags({
      kubeconfig: siteFile(site, 'admin'),
      config: join(import.meta.dirname, '..', 'go', 'kwok', 'stages.yaml'),
      'manage-nodes-with-annotation-selector': Object.entries(nodeAnnotation).flat().join('='),
      // Without a Lease the controller manager declares the node dead after 50 seconds.
      'node-lease-duration-seconds': '40',
    }),
  }
}

export const nodeAnnotation = { 'kwok.x-k8s.io/node': 'fake' } as const

/** One replica each, so no leader election; no server, so no port. */
const alone = { 'leader-elect': 'false', 'secure-port': '0' }

function etcdUrl(site: Site): string {
  return `http://127.0.0.1:${site.etcdPort}`
}

function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`)
}
