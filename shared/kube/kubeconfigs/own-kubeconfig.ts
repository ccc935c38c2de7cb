// Makes a ClusterAccess from a user's own kubeconfig, which may use exec plugins, OIDC and files. Only this file imports
// @kubernetes/client-node. The package is loaded on demand, because loading takes 80 MB and half a second.
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { errorText } from '../../core/text/error-text.ts'
import type { ClusterAccess, Credentials } from '../clusters/access.ts'
import { AccessError } from '../errors.ts'

type LaptopSettings = {
  /** Files in the order of KUBECONFIG. The first current context counts. A name of a cluster, user or context must not be in two files. */
  files: readonly string[]
  /** Default: the current context. */
  context?: string
}

/** How long credentials are reused. client-node and exec plugins cache tokens themselves. */
const freshMilliseconds = 10_000

/**
 * Rejects with AccessError when the files define no cluster.
 *
 *   const access = await ownKubeconfigAccess({ files: ['/home/me/.kube/config'] })
 */
export const ownKubeconfigAccess = async (settings: LaptopSettings): Promise<ClusterAccess> => {
  const kubeconfig = await loaded(settings)
  const cluster = kubeconfig.getCurrentCluster()
  if (!cluster) throw new AccessError('Missing', clusterMissing(kubeconfig, settings))
  if (!URL.canParse(cluster.server))
    throw new AccessError(
      'Missing',
      `the cluster ${cluster.name} has the server ${JSON.stringify(cluster.server)}: expected an address such as https://127.0.0.1:6443`,
    )
  if (cluster.proxyUrl) throw new AccessError('Refused', `the cluster ${cluster.name} is behind a proxy-url`)
  let last: { credentials: Promise<Credentials>; until: number } | undefined
  const { namespace } = kubeconfig.getContextObject(kubeconfig.currentContext) ?? {}
  return {
    server: cluster.server,
    ...(namespace && { namespace }),
    credentials: () => {
      if (!last || last.until < performance.now())
        last = { credentials: credentialsOf(kubeconfig), until: performance.now() + freshMilliseconds }
      return last.credentials.catch(error => {
        last = undefined
        throw error
      })
    },
  }
}

/** The message with the reason: the requested context is missing, there is no current context, or its cluster is missing. */
const clusterMissing = (kubeconfig: KubeConfig, { files, context }: LaptopSettings): string => {
  const named = context ?? kubeconfig.currentContext
  const contexts = kubeconfig.getContexts().map(({ name }) => name)
  const expected = contexts.length > 0 ? `; expected one of ${contexts.join(', ')}` : ''
  if (contexts.includes(named))
    return `the context ${named} in ${files.join(', ')} refers to a cluster that does not exist`
  return `${files.join(', ')} has no ${named ? `context ${named}` : 'current context'}${expected}`
}

const loaded = async ({ files, context }: LaptopSettings): Promise<KubeConfig> => {
  // The index of the package would import the models of all kinds: 16 MB in a bundle.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js')
  const [first, ...others] = files.map(file => {
    const kubeconfig = new KubeConfig()
    try {
      kubeconfig.loadFromFile(file)
    } catch (error) {
      throw new AccessError('Missing', `the kubeconfig ${file} cannot be read: ${unreadable(error)}`)
    }
    return kubeconfig
  })
  if (!first) throw new AccessError('Missing', 'no kubeconfig file is specified')
  for (const other of others) first.mergeConfig(other, Boolean(first.currentContext))
  if (context) first.setCurrentContext(context)
  return first
}

/** If a file is not a kubeconfig, client-node throws a TypeError. */
const unreadable = (error: unknown): string =>
  error instanceof TypeError ? 'it is not a kubeconfig' : (errorText(error).split('\n')[0] ?? '')

const credentialsOf = async (kubeconfig: KubeConfig): Promise<Credentials> => {
  const asked: RequestOptions & { servername?: string } = {}
  await kubeconfig.applyToHTTPSOptions(asked)
  return {
    ca: textOf(asked.ca),
    certificate: textOf(asked.cert),
    key: textOf(asked.key),
    serverName: asked.servername,
    acceptsAnyCertificate: asked.rejectUnauthorized === false,
    headers: { ...headersIn(asked), ...basicIn(asked) },
  }
}

const textOf = (pem: unknown): string | undefined =>
  typeof pem === 'string' || Buffer.isBuffer(pem) ? pem.toString() : undefined

const headersIn = ({ headers }: RequestOptions): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name.toLowerCase(), String(value)]),
  )

const basicIn = ({ auth }: RequestOptions): Record<string, string> =>
  auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {}
