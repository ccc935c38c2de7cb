// Makes service accounts with the access rules of serverless.yml: one per function, one for the relay, and one for a host of all
// functions.
import type { AccessRule, Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Labels, partLabels } from '../manifests/conventions.ts'
import { relayAccess, watching } from './relay-access.ts'
import { access, bindings } from './roles.ts'

/** The objects of `accounts`, without objects in namespaces of other programs. */
export const ownAccess = (landscape: Landscape): Record<string, KubeObject[]> =>
  Object.fromEntries(
    Object.entries(accounts(landscape)).map(([name, objects]) => [name, objects.filter(isForOwn(landscape))]),
  )

/** Roles and bindings in namespaces of other programs, by namespace. Each can be applied when its namespace exists. */
export const foreignAccess = (landscape: Landscape): Record<string, KubeObject[]> => {
  const isOwn = isForOwn(landscape)
  const objects = [...Object.values(accounts(landscape)).flat(), ...hostAccount(landscape)]
  const foreign = objects.filter(object => !isOwn(object))
  return Object.fromEntries(Map.groupBy(foreign, ({ metadata }) => metadata.namespace ?? ''))
}

/** Account, roles and bindings, by function and for the relay. */
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

/** Whether an object is cluster-scoped, in our namespace, or in a namespace of every cluster. */
export const isForOwn =
  ({ provider }: Landscape) =>
  ({ metadata: { namespace } }: KubeObject): boolean =>
    namespace === undefined || namespace === provider.namespace || everywhere.includes(namespace)

export const everywhere = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Binds the host of all functions to the roles of each function, so that access is defined once. */
export const hostAccount = (landscape: Landscape): KubeObject[] => {
  const subject = { name: 'host', namespace: landscape.provider.namespace, service: landscape.service }
  return [
    serviceAccount(subject.name, subject.namespace),
    ...Object.entries(landscape.functions).flatMap(([role, { access: rules }]) =>
      bindings({ role, rules, subject, name: `host-${role}` }),
    ),
  ]
}

/** By function: roles that an operator can add. The roles are for the function, for the host of all functions, and for the relay. */
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

/** The token is mounted, because all programs call the API server. */
const serviceAccount = (name: string, namespace: string, labels: Labels = partLabels): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace, labels },
  automountServiceAccountToken: true,
})
