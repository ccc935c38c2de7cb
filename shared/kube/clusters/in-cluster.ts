// Access to the cluster we run in, with the token and CA of our service account. Token and CA are read again when their files change.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AccessError } from '../errors.ts'
import type { ClusterAccess, Credentials } from './access.ts'

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
