// Address and current credentials of an API server. in-cluster.ts, kubeconfig.ts and own-kubeconfig.ts make a ClusterAccess;
// connections.ts uses it.
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'

export type ClusterAccess = {
  /** Name for error messages if the address comes from a Secret. Default: the address. */
  readonly called?: string
  readonly digest?: string
  /** The address: `https://host:port`, optionally with a path. */
  readonly server: string
  readonly namespace?: string
  /** Called before each request, so it must be fast. The same object means unchanged credentials. */
  credentials(): Credentials | Promise<Credentials>
  /** Replaces the system's resolver for the server's name. Only the returned addresses are used. */
  readonly lookup?: LookupFunction
  /** Handles requests without connections, for an API server in this process. */
  readonly dispatcher?: Dispatcher
}

export type Credentials = {
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
  readonly token?: string
  /** The name in the server's certificate, if different from the host of the address. */
  readonly serverName?: string
  /** Further headers from a developer's kubeconfig, such as basic authentication or impersonation. */
  readonly headers?: Readonly<Record<string, string>>
  /** Accepts any certificate. Only a developer's own kubeconfig can set this field. */
  readonly acceptsAnyCertificate?: boolean
}
