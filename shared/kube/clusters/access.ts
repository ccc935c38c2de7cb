// How an API server is reached: its address, and the credentials of this moment. in-cluster.ts, kubeconfig.ts and
// own-kubeconfig.ts each make one; connections.ts dials it.
import type { LookupFunction } from 'node:net'

export type ClusterAccess = {
  /** What sentences call the way to it where its address comes from a Secret; by its address when absent. */
  readonly called?: string
  /** `https://host:port`, with a path when the API server stands behind one. */
  readonly server: string
  /** Asked before every request, so it answers from memory; the very same value again means that nothing changed. */
  credentials(): Credentials | Promise<Credentials>
  /** Resolves the server's name instead of the system's resolver: what it answers is what is dialled. */
  readonly lookup?: LookupFunction
}

/** PEM texts, and what goes into headers. */
export type Credentials = {
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
  readonly token?: string
  /** Name the server's certificate is checked against, when it is not the host of the address. */
  readonly serverName?: string
  /** Further headers a developer's kubeconfig asks for: basic authentication, impersonation. */
  readonly headers?: Readonly<Record<string, string>>
  /** Only a developer's own kubeconfig can ask for this. */
  readonly acceptsAnyCertificate?: boolean
}
