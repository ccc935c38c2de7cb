// Checks kubeconfigs that API servers use to call webhooks. Gardener refuses kubeconfigs that refer to files or programs, because these do
// not exist in the Pod of the API server.
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../json/json.ts'
import { yamlOrNothing } from '../yaml/read.ts'

const validFields = '[client-certificate-data client-key-data token username password]'

/** Fields of a user that Gardener refuses, with Gardener's messages. */
const refusedFields: readonly (readonly [isSet: (user: JsonMap) => boolean, fault: (user: string) => string])[] = [
  [user => isText(user['client-certificate']), user => `client certificate files are not supported (user "${user}")`],
  [user => isText(user['client-key']), user => `client key files are not supported (user "${user}")`],
  [user => isText(user.tokenFile), user => `token files are not supported (user "${user}")`],
  [user => isText(user.as) || isFilled(user['as-groups']), () => 'impersonation is not supported'],
  [
    user => Object.keys(mapOrEmpty(mapOrEmpty(user['auth-provider']).config)).length > 0,
    user => `auth provider configurations are not supported (user "${user}")`,
  ],
  [user => isMap(user.exec), user => `exec configurations are not supported (user "${user}")`],
]

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

type Use = {
  /**
   * Whether the server uses the cluster of the current context. Webhooks in structured configurations only use the users of the
   * kubeconfig.
   */
  readonly usesContext: boolean
}

/** The reason why an API server would not start with the kubeconfig; undefined when the server would start. */
export const kubeconfigFault = (use: Use, content: string): string | undefined => {
  const config = yamlOrNothing(content)
  if (!isMap(config)) return 'secret contains invalid kubeconfig: it is not a YAML map'
  const fault = userFault(config) ?? (use.usesContext ? contextFault(config) : undefined)
  return fault && `secret contains invalid kubeconfig: ${fault}`
}

const userFault = (config: JsonMap): string | undefined => {
  const faults = mapsIn(config.users).flatMap(({ name, user }) =>
    refusedFields
      .filter(([isSet]) => isSet(mapOrEmpty(user)))
      .map(([, fault]) => `${fault(String(name))}, these are the valid fields: ${validFields}`),
  )
  return faults[0]
}

/** The messages are copied from client-go. */
const contextFault = (config: JsonMap): string | undefined => {
  const current = isText(config['current-context']) ? config['current-context'] : ''
  const context = named(config.contexts, 'context', current)
  if (!context) return `context was not found for specified context: ${current}`
  const cluster = named(config.clusters, 'cluster', context.cluster)
  if (!isText(cluster?.server)) return `no server found for cluster "${context.cluster}"`
  if (isText(context.user) && !named(config.users, 'user', context.user))
    return `user "${context.user}" was not found for context "${current}"`
  const file = cluster['certificate-authority']
  return isText(file)
    ? `unable to read certificate-authority ${file} for ${context.cluster}: use certificate-authority-data`
    : undefined
}

/** The field of the item with that name, in a list such as `clusters: [{ name: …, cluster: {…} }]`. */
const named = (items: unknown, field: string, name: unknown): JsonMap | undefined => {
  const found = mapsIn(items).find(item => item.name === name)
  return found && mapOrEmpty(found[field])
}
