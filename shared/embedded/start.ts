// Starts an embedded cluster: a Kubernetes API server in this process, for trying out, developing and testing.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { admission } from './admission/admission.ts'
import { type ServiceResolver, webhookCaller } from './admission/call-webhook.ts'
import { rbac } from './authorization/rbac.ts'
import { aggregateRoles, bootstrap, keepNamespaceContents } from './bootstrap.ts'
import { type Cluster, Watches } from './cluster.ts'
import { Chores } from './collect/chores.ts'
import { collectGarbage, expireEvents } from './collect/garbage.ts'
import { endNamespaces } from './collect/namespaces.ts'
import { serveDefinitions } from './crd/lifecycle.ts'
import { type DataFolder, type Identity, openData } from './data/open.ts'
import { answering, httpsServer } from './http/server.ts'
import { authentication } from './identity/authentication.ts'
import {
  type Authority,
  authority,
  type Credentials,
  type KubeconfigAccess,
  kubeconfigText,
  type Subject,
} from './identity/authority.ts'
import { type Tokens, tokens } from './identity/tokens.ts'
import { admin, authenticated, type GivenIdentity, identityTaker, type User } from './identity/user.ts'
import { Registry } from './kinds/registry.ts'
import type { NodeOptions } from './node/behaviour.ts'
import { keepQuotas } from './quota/status.ts'
import { Store } from './storage/store.ts'

export type EmbeddedOptions = {
  readonly name?: string
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string
  /** A free port by default. */
  readonly port?: number
  readonly hosts?: readonly string[]
  /** Number of changes over which a watch can resume. */
  readonly historyLimit?: number
  readonly issuer?: string
  /** Users by plain bearer token, besides the administrator. */
  readonly tokens?: Readonly<Record<string, { name: string; groups?: readonly string[] }>>
  /** Certificate, authorities, keys and tokens that replace the cluster's own. */
  readonly identity?: GivenIdentity
  readonly resolveService?: ServiceResolver
  /** Runs the stand-in node and its workload controllers. Without the stand-in node, Pods stay Pending. */
  readonly node?: boolean | NodeOptions
  /** Folder for the data. If a cluster is started with this folder again, its objects and its identity are the same. */
  readonly data?: string
  /** Size at which the log in that folder becomes a snapshot. */
  readonly compactBytes?: number
}

export type EmbeddedCluster = {
  readonly url: string
  readonly kubeconfig: string
  /** The certificate of the authority, as PEM in base64. */
  readonly caData: string
  /** The certificate of the authority, in PEM. */
  readonly caCert: string
  readonly adminToken: string
  /** Answers requests of this process without a socket. */
  readonly answer: RequestListener
  /** Makes a client certificate. Organizations of the subject become groups. */
  clientCertificate(subject: Subject, days?: number): Credentials
  kubeconfigFor(access: KubeconfigAccess): string
  servingCertificate(hosts: readonly string[]): Credentials
  /** Drops history up to now or up to a revision. Watches from an earlier revision get 410. */
  compact(revision?: number): void
  /** Ends all watches, or the watches of a collection (`configmaps`, `apps/deployments`). */
  dropWatches(collection?: string): void
  sendBookmarks(): void
  watchCount(): number
  resourceVersion(): string
  useIdentity(given: GivenIdentity): void
  /** Resolves when garbage is collected, namespaces are deleted and definitions are served. */
  settled(): Promise<void>
  stop(): Promise<void>
}

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local'
const defaultHistory = 10_000
const ownHosts = [
  '127.0.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '10.96.0.1',
]

/**
 * Starts a Kubernetes API server in this process. Resolves when it listens.
 *
 *   const cluster = await startEmbeddedCluster({ node: true })
 *   await writeFile('kubeconfig', cluster.kubeconfig)
 *   await cluster.stop()
 */
export const startEmbeddedCluster = async (options: EmbeddedOptions = {}): Promise<EmbeddedCluster> => {
  const data = options.data === undefined ? undefined : openData(options.data, options.compactBytes)
  try {
    return await start(options, data)
  } catch (error) {
    data?.close()
    throw error
  }
}

const start = async (options: EmbeddedOptions, data: DataFolder | undefined): Promise<EmbeddedCluster> => {
  const host = options.host ?? '127.0.0.1'
  const ca = authority(data?.identity?.authority)
  const adminToken = data?.identity?.adminToken ?? randomBytes(24).toString('base64url')
  const signing = tokens(options.issuer ?? defaultIssuer, data?.identity?.tokenKey)
  const place = { host, port: data?.identity?.port ?? 0 }
  const identity = () => ({ authority: ca.saved, tokenKey: signing.savedKey, adminToken, port: place.port })
  const plainTokens = plainTokensOf(options, adminToken)
  const { cluster, close } = partsOf(options, plainTokens, signing, place)
  keepNamespaceContents(cluster, ca.caCert)
  if (data) resume(cluster, data, identity())
  const server = httpsServer(cluster, ca, [...new Set([...ownHosts, host, ...(options.hosts ?? [])])])
  const useIdentity = identityTaker({ server, tokens: signing, plainTokens })
  if (options.identity) useIdentity(options.identity)
  const before = place.port
  place.port = await listen(server, host, options.port === undefined ? [before, 0] : [options.port])
  if (place.port !== before) data?.remember(identity())
  bootstrap(cluster, host, place.port)
  const stopNode = await startNode(cluster, options.node)
  const stopExpiring = expireEvents(cluster)
  await cluster.chores.settled()
  const stop = async () => {
    stopNode()
    stopExpiring()
    cluster.chores.stop()
    cluster.watches.drop()
    close()
    await new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    await cluster.chores.settled()
    data?.close()
  }
  return handle(cluster, ca, { name: options.name ?? 'embedded', adminToken, useIdentity, stop })
}

/** Restores the state and logs every later change. */
const resume = ({ store }: Cluster, data: DataFolder, identity: Identity): void => {
  if (!data.identity) data.remember(identity)
  const { revision, entries } = data.state
  for (const { collection, key, object } of entries) store.restore(collection, key, object)
  if (revision > 0) store.resumeAt(revision)
  data.follow(store)
}

/** Listens on the first free port and returns it. */
const listen = async (server: Server, host: string, [port = 0, ...others]: readonly number[]): Promise<number> => {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken || others.length === 0) throw error
    return listen(server, host, others)
  }
  return (server.address() as AddressInfo).port
}

const startNode = async (cluster: Cluster, node: EmbeddedOptions['node']): Promise<() => void> => {
  if (!node) return () => undefined
  const { runNode } = await import('./node/run.ts')
  return runNode(cluster, node === true ? {} : node)
}

type Place = { host: string; port: number }

const partsOf = (
  options: EmbeddedOptions,
  plainTokens: ReadonlyMap<string, User>,
  signing: Tokens,
  place: Place,
): { cluster: Cluster; close(): void } => {
  const store = new Store(options.historyLimit ?? defaultHistory)
  const registry = new Registry()
  const caller = webhookCaller(options.resolveService ?? (() => undefined))
  const authorization = rbac(store)
  const cluster: Cluster = {
    store,
    registry,
    watches: new Watches(),
    chores: new Chores(),
    tokens: signing,
    authentication: authentication(store, signing, plainTokens),
    authorization,
    admission: admission({ store, registry, authorization, caller }),
    address: () => `${place.host}:${place.port}`,
    url: () => `https://${place.host}:${place.port}`,
  }
  serveDefinitions(cluster)
  aggregateRoles(cluster)
  collectGarbage(cluster)
  endNamespaces(cluster)
  keepQuotas(cluster)
  return { cluster, close: () => caller.close() }
}

const plainTokensOf = (options: EmbeddedOptions, adminToken: string): Map<string, User> => {
  const given = Object.entries(options.tokens ?? {}).map(([token, { name, groups = [] }]): [string, User] => [
    token,
    authenticated({ name, groups }),
  ])
  return new Map([[adminToken, admin], ...given])
}

type Handle = Pick<EmbeddedCluster, 'adminToken' | 'useIdentity' | 'stop'> & { name: string }

const handle = (cluster: Cluster, ca: Authority, { name, adminToken, useIdentity, stop }: Handle): EmbeddedCluster => {
  const url = cluster.url()
  const kubeconfigFor = (access: KubeconfigAccess) => kubeconfigText(name, url, ca.caData, access)
  const { store, watches } = cluster
  return {
    url,
    kubeconfig: kubeconfigFor({ token: adminToken }),
    caData: ca.caData,
    caCert: ca.caCert,
    adminToken,
    answer: answering(cluster),
    useIdentity,
    clientCertificate: ca.client,
    kubeconfigFor,
    servingCertificate: ca.serving,
    compact: revision => store.history.compact(revision ?? store.revision),
    dropWatches: collection => watches.drop(collection),
    sendBookmarks: () => watches.bookmark(),
    watchCount: () => watches.count,
    resourceVersion: () => String(store.revision),
    settled: () => cluster.chores.settled(),
    stop,
  }
}
