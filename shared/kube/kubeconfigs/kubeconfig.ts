// Makes a ClusterAccess of a kubeconfig from a Secret. Whoever may write the Secret must not be able to run a program, read a file or
// reach a forbidden host through it, so a field that is not understood is refused, and the message names the field.
// own-kubeconfig.ts reads the kubeconfigs of people, which may do all that.
import { isMap, isText } from '../../core/json/json.ts'
import type { ClusterAccess } from '../clusters/access.ts'
import { guardedLookup, hostFault, hostOf, isInnerHost } from './allowed-hosts.ts'
import { certificateFault, keyPairFault, pemIn, tokenFault } from './credentials.ts'
import { type Entry, entryNamed, type KubeconfigRefusal, refusal, shapeRefusals } from './shape.ts'
import { readKubeconfigYaml } from './text.ts'

export type KubeconfigOptions = {
  /** Exact, `*.suffix` or `*`; loopback, link-local and cloud metadata only when listed exactly. */
  allowedHosts: readonly string[]
  /** `host:port` to dial in place of the server's; the certificate must still carry the server's name. */
  dialAt?: string
}

type KubeconfigVerdict = { access: ClusterAccess } | { refused: KubeconfigRefusal }

/** Judges the text alone: it runs no program, reads no file, resolves no name and dials nothing. */
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
  if (url.username || url.password) return 'carries a user or a password'
  if (url.search || url.hash) return 'carries a query or a fragment'
  const host = hostOf(url)
  const fault = hostFault(host, allowedHosts)
  // An inner address is no secret; any other text in its place may be one.
  return fault && (isInnerHost(host) ? `leads to ${host}, which ${fault}` : `leads to a host that ${fault}`)
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
