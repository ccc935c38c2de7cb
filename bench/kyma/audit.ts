// Which requests an API server answered, as its audit log says: by program, verb and resource. A watch counts when it begins.
import { openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Audit = { requestsSince(mark: number): readonly Request[]; mark(): number }

export type Audits = Readonly<Record<'control plane' | 'runtime', Audit>>

/** `what`: such as `GET kymas` or `PATCH kymas/status`. */
export type Request = { readonly program: 'host' | 'relay'; readonly what: string; readonly isRead: boolean }

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
}

const logIn = (dir: string): string => join(dir, 'audit.log')

export const auditFlags = (dir: string): readonly string[] => {
  const file = join(dir, 'audit-policy.json')
  writeFileSync(file, JSON.stringify(policy))
  return [`--audit-policy-file=${file}`, `--audit-log-path=${logIn(dir)}`, '--audit-log-maxsize=2000']
}

type Entry = {
  readonly stage: string
  readonly verb: string
  readonly userAgent?: string
  readonly requestURI: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
}

export const audit = (dir: string): Audit => ({
  mark: () => statSync(logIn(dir)).size,
  requestsSince: mark => entriesSince(logIn(dir), mark).flatMap(requestIn),
})

const entriesSince = (file: string, mark: number): Entry[] => {
  const bytes = Buffer.alloc(statSync(file).size - mark)
  readSync(openSync(file, 'r'), bytes, { position: mark })
  return bytes
    .toString()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Entry)
}

const requestIn = ({ stage, verb, userAgent = '', objectRef, requestURI }: Entry): Request[] => {
  const program = programs[userAgent.split('/')[0] ?? '']
  if (!program || stage !== (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete')) return []
  const { resource = requestURI.replace(/\?.*/, ''), subresource } = objectRef ?? {}
  const what = `${verb.toUpperCase()} ${resource}${subresource ? `/${subresource}` : ''}`
  return [{ program, what, isRead: ['get', 'list', 'watch'].includes(verb) }]
}

const programs: Readonly<Record<string, Request['program']>> = { espalier: 'host', 'espalier-relay': 'relay' }
