// Makes a ClusterAccess of a kubeconfig from a Secret. The author of the Secret must not be able to run a program, read a file or reach a
// forbidden host, so unknown fields are refused. own-kubeconfig.ts reads users' own kubeconfigs, which may do all that.
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { Lexer, parseDocument } from 'yaml'
import { isMap, isText } from '../../core/json/json.ts'
import type { ClusterAccess } from '../clusters/access.ts'
import { guardedLookup, hostFault, hostOf, isInnerHost } from './allowed-hosts.ts'
import { type Entry, entryNamed, type KubeconfigRefusal, refusal, shapeRefusals } from './shape.ts'

export type KubeconfigOptions = {
  /** Exact names, `*.suffix` or `*`. Loopback, link-local and cloud metadata addresses must be listed exactly. */
  allowedHosts: readonly string[]
  /** `host:port` to connect to, instead of the host and port of the server. The certificate must still have the server's name. */
  dialAt?: string
}

type KubeconfigVerdict = { access: ClusterAccess } | { refused: KubeconfigRefusal }

/** Checks the text only: runs no program, reads no file, resolves no name and does not connect. */
export const parseKubeconfig = (text: string, options: KubeconfigOptions): KubeconfigVerdict => {
  const read = readKubeconfigYaml(text)
  if ('fault' in read) return { refused: refusal('', read.fault) }
  if (!isMap(read.value)) return { refused: refusal('', 'is no mapping') }
  const [misshapen] = shapeRefusals(read.value)
  if (misshapen) return { refused: misshapen }
  const context = entryNamed(read.value, 'contexts', read.value['current-context'])
  if (!context) return { refused: refusal('current-context', 'names no context') }
  const cluster = entryNamed(read.value, 'clusters', context.fields.cluster)
  if (!cluster) return { refused: refusal(`${context.path}.cluster`, 'names no cluster') }
  const user = entryNamed(read.value, 'users', context.fields.user)
  if (!user) return { refused: refusal(`${context.path}.user`, 'names no user') }
  const [refused] = [...clusterRefusals(cluster, options), ...userRefusals(user)]
  return refused ? { refused } : { access: { ...accessOf(cluster, user, options), ...namespaceOf(context) } }
}

const clusterRefusals = ({ path, fields }: Entry, { allowedHosts }: KubeconfigOptions): KubeconfigRefusal[] =>
  faults(path, {
    server: serverFault(String(fields.server ?? ''), allowedHosts),
    'certificate-authority-data': certificateFault(fields['certificate-authority-data']),
  })

const userRefusals = ({ path, fields }: Entry): KubeconfigRefusal[] => {
  const certificate = fields['client-certificate-data']
  if (fields.token === undefined && certificate === undefined)
    return [refusal(path, 'has neither a token nor a client certificate')]
  return faults(path, {
    token: fields.token === undefined ? undefined : tokenFault(String(fields.token)),
    'client-certificate-data': certificate === undefined ? undefined : certificateFault(certificate),
    'client-key-data': certificate === undefined ? undefined : keyPairFault(certificate, fields['client-key-data']),
  })
}

const serverFault = (server: string, allowedHosts: readonly string[]): string | undefined => {
  const url = URL.parse(server)
  if (!url) return 'is no URL'
  if (url.protocol !== 'https:') return 'is not https'
  if (url.username || url.password) return 'contains a user or a password'
  if (url.search || url.hash) return 'contains a query or a fragment'
  const host = hostOf(url)
  const fault = hostFault(host, allowedHosts)
  // An inner address is not secret; other text in its place may be.
  return fault && (isInnerHost(host) ? `points to ${host}, which ${fault}` : `points to a host that ${fault}`)
}

const accessOf = (cluster: Entry, user: Entry, { allowedHosts, dialAt }: KubeconfigOptions): ClusterAccess => {
  const url = new URL(String(cluster.fields.server))
  const host = hostOf(url)
  const credentials = {
    ca: pemIn(cluster.fields['certificate-authority-data']),
    serverName: textIn(cluster.fields['tls-server-name']) ?? (dialAt === undefined ? undefined : host),
    token: textIn(user.fields.token),
    certificate: pemIn(user.fields['client-certificate-data']),
    key: pemIn(user.fields['client-key-data']),
  }
  if (dialAt !== undefined) return { server: `https://${dialAt}${url.pathname}`, credentials: () => credentials }
  return { server: url.href, credentials: () => credentials, lookup: guardedLookup(host, allowedHosts) }
}

const namespaceOf = ({ fields: { namespace } }: Entry): Pick<ClusterAccess, 'namespace'> =>
  isText(namespace) ? { namespace } : {}

const faults = (path: string, found: Record<string, string | undefined>): KubeconfigRefusal[] =>
  Object.entries(found).flatMap(([field, because]) => (because ? [refusal(`${path}.${field}`, because)] : []))

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

// Checks tokens, certificates and keys of a kubeconfig. Messages do not quote these values.
const base64 = /^[A-Za-z0-9+/\s]+={0,2}$/

const pemIn = (data: unknown): string | undefined => {
  if (typeof data !== 'string' || !base64.test(data.trimEnd())) return undefined
  const text = Buffer.from(data, 'base64').toString()
  return text.includes('-----BEGIN ') ? text : undefined
}

/** A token becomes part of a header, so only visible characters are allowed. */
const tokenFault = (token: string): string | undefined => (/^[\x21-\x7e]+$/.test(token) ? undefined : 'is not a token')

const certificateFault = (data: unknown): string | undefined => {
  if (data === undefined) return 'is missing'
  return succeeds(() => new X509Certificate(pemIn(data) ?? '')) ? undefined : 'is not a certificate in base64'
}

const keyPairFault = (certificate: unknown, key: unknown): string | undefined => {
  if (key === undefined) return 'is missing'
  const [cert, pem] = [pemIn(certificate), pemIn(key)]
  if (!cert || !pem) return 'is not a key in base64'
  return succeeds(() => createSecureContext({ cert, key: pem }))
    ? undefined
    : 'is not the key of the client certificate'
}

const succeeds = (attempt: () => unknown): boolean => {
  try {
    attempt()
    return true
  } catch {
    // Do not log OpenSSL's message, because it may quote the key.
    return false
  }
}

// Parses the YAML of a kubeconfig in bounded time: bytes and tokens are limited; aliases and duplicate keys are refused.
/** A normal kubeconfig has a few hundred tokens; a certificate is one token. */
const tokensMost = 5_000
const bytesMost = 256 * 1024

type ParsedYaml = { value: unknown } | { fault: string }

const readKubeconfigYaml = (text: string): ParsedYaml => {
  if (Buffer.byteLength(text) > bytesMost) return { fault: `is larger than ${bytesMost / 1024} KiB` }
  if (hasManyTokens(text)) return { fault: `has more than ${tokensMost} parts` }
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: false, logLevel: 'error' })
  const [error] = document.errors
  // Only the parser's error code is shown, because its message may quote the text.
  if (error) return { fault: `is not valid YAML (${error.code})` }
  return withoutAliases(document)
}

/** Refuses aliases, because aliases can expand a short text to a huge value, and no tool writes aliases into kubeconfigs. */
const withoutAliases = (document: ReturnType<typeof parseDocument>): ParsedYaml => {
  try {
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch (error) {
    if (error instanceof ReferenceError) return { fault: 'uses YAML aliases' }
    throw error
  }
}

const hasManyTokens = (text: string): boolean => {
  let tokens = 0
  for (const _ of new Lexer().lex(text)) if (++tokens > tokensMost) return true
  return false
}
