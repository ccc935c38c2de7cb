// Address and current credentials of an API server, and the access to the cluster we run in. kubeconfig.ts and own-kubeconfig.ts make
// other accesses; connections.ts uses them.
import { readFileSync, statSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { AccessError } from '../errors.ts'

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

type InClusterSettings = {
  server?: string
  directory?: string
}

/**
 * Never fails. If a file is missing, requests fail with an AccessError.
 *
 *   const client = createClient(inClusterAccess({}))
 */
export const inClusterAccess = (settings: InClusterSettings): ClusterAccess => {
  const directory = settings.directory ?? '/var/run/secrets/kubernetes.io/serviceaccount'
  const token = watched(join(directory, 'token'))
  const ca = watched(join(directory, 'ca.crt'))
  let last: Credentials | undefined
  return {
    server: settings.server ?? 'https://kubernetes.default.svc',
    credentials: () => {
      const now = { token: token().trim(), ca: ca() }
      if (last?.token !== now.token || last.ca !== now.ca) last = now
      return last
    },
  }
}

/** Reads the file again after it was replaced. The check takes microseconds; a timer or watcher could miss a change. */
const watched = (path: string): (() => string) => {
  let seen = { mark: '', text: '' }
  return () => {
    const mark = markOf(path)
    if (mark !== seen.mark) seen = { mark, text: readFileSync(path, 'utf8') }
    return seen.text
  }
}

const markOf = (path: string): string => {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) throw new AccessError('Missing', `the service account's file ${path} is missing`)
  return `${file.ino} ${file.mtimeMs} ${file.size}`
}
