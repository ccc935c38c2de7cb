// How an API server is reached: its address and its current credentials. in-cluster.ts, kubeconfig.ts and own-kubeconfig.ts each make
// a ClusterAccess; connections.ts dials it.
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'

export type ClusterAccess = {
  /** What error messages call this cluster where its address comes from a Secret; the address when absent. */
  readonly called?: string
  readonly digest?: string
  /** `https://host:port`, with a path when the API server stands behind one. */
  readonly server: string
  readonly namespace?: string
  /** Called before every request, so it answers from memory. The very same object means that nothing changed. */
  credentials(): Credentials | Promise<Credentials>
  /** Resolves the server's name in place of the system's resolver; exactly the addresses it answers are dialled. */
  readonly lookup?: LookupFunction
  /** Takes all requests in place of connections: an API server in this process needs none. */
  readonly dispatcher?: Dispatcher
}

export type Credentials = {
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
  readonly token?: string
  /** The name that the server's certificate must carry, when it is not the host of the address. */
  readonly serverName?: string
  /** Further headers a developer's kubeconfig asks for: basic authentication, impersonation. */
  readonly headers?: Readonly<Record<string, string>>
  /** Only a developer's own kubeconfig can ask for this. */
  readonly acceptsAnyCertificate?: boolean
}
