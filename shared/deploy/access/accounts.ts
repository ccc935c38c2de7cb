// Service accounts with the rights that serverless.yml gives them: one per function, one for the relay, and, where one
// host serves everything, one for that host.
import type { AccessRule, Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'
import { relayAccess, watching } from './relay-access.ts'
import { access, bindings } from './roles.ts'

/** As `accounts`, for namespaces of others. */
export const ownAccess = (landscape: Landscape): Record<string, KubeObject[]> =>
  Object.fromEntries(
    Object.entries(accounts(landscape)).map(([name, objects]) => [name, objects.filter(isForOwn(landscape))]),
  )

/** Roles and bindings in namespaces of others, by namespace: each is for its namespace to have once that exists. */
export const foreignAccess = (landscape: Landscape): Record<string, KubeObject[]> => {
  const isOwn = isForOwn(landscape)
  const objects = [...Object.values(accounts(landscape)).flat(), ...hostAccount(landscape)]
  const foreign = objects.filter(object => !isOwn(object))
  return Object.fromEntries(Map.groupBy(foreign, ({ metadata }) => metadata.namespace ?? ''))
}

/** Account, roles and bindings, by function; the relay among them. */
export const accounts = (landscape: Landscape): Record<string, KubeObject[]> => {
  const {
    service,
    provider: { namespace },
  } = landscape
  const rules = {
    ...Object.fromEntries(Object.entries(landscape.functions).map(([name, settings]) => [name, settings.access])),
    relay: relayAccess(landscape),
  }
  return Object.fromEntries(
    Object.entries(rules).map(([name, own]) => [
      name,
      [serviceAccount(name, namespace), ...access(name, own, { name, namespace, service })],
    ]),
  )
}

/** Whether an object is of the cluster, of our namespace, or of one that every cluster has. */
export const isForOwn =
  ({ provider }: Landscape) =>
  ({ metadata: { namespace } }: KubeObject): boolean =>
    namespace === undefined || namespace === provider.namespace || everywhere.includes(namespace)

/** Namespaces that every cluster has. */
export const everywhere = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Binds the host of all functions to each function's roles, so that what a function may do is written once. */
export const hostAccount = (landscape: Landscape): KubeObject[] => {
  const subject = { name: 'host', namespace: landscape.provider.namespace, service: landscape.service }
  return [
    serviceAccount(subject.name, subject.namespace),
    ...Object.entries(landscape.functions).flatMap(([role, { access: rules }]) =>
      bindings({ role, rules, subject, name: `host-${role}` }),
    ),
  ]
}

/** By function: roles that an operator adds on demand, for the function, for the host of all functions, and for the relay. */
export const grantedAccess = ({
  service,
  provider: { namespace },
  functions,
}: Landscape): Record<string, KubeObject[]> =>
  Object.fromEntries(
    Object.entries(functions).flatMap(([name, { grants }]) =>
      grants ? [[name, granted(name, grants, { namespace, service })]] : [],
    ),
  )

type Place = { readonly namespace: string; readonly service: string }

const granted = (name: string, rules: readonly AccessRule[], place: Place): KubeObject[] => {
  const role = `granted-${name}`
  return [
    ...access(role, rules, { name, ...place }),
    ...bindings({ role, rules, subject: { name: 'host', ...place }, name: `host-granted-${name}` }),
    ...access(`relay-granted-${name}`, watching(rules), { name: 'relay', ...place }),
  ]
}

// The identity of one function, of the relay, or of a host. What it may do is in roles.ts.
/** Its token is mounted, as all of them talk to the API server. */
const serviceAccount = (name: string, namespace: string, labels: Labels = partLabels): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels },
  automountServiceAccountToken: true,
})
