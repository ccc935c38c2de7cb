// Service accounts with the rights that serverless.yml gives them: one per function, one for the relay, and, where one
// host serves everything, one for that host.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { relayAccess } from './relay-access.ts'
import { access, bindings } from './roles.ts'
import { serviceAccount } from './service-account.ts'

/** Account, roles and bindings, by function; the relay among them. */
export const accounts = (landscape: Landscape): Record<string, KubeObject[]> => {
  const { namespace } = landscape.provider
  const rules = {
    ...Object.fromEntries(Object.entries(landscape.functions).map(([name, settings]) => [name, settings.access])),
    relay: relayAccess(landscape),
  }
  return Object.fromEntries(
    Object.entries(rules).map(([name, own]) => [
      name,
      [serviceAccount(name, namespace), ...access(name, own, { name, namespace })],
    ]),
  )
}

/**
 * The host of all functions is bound to every function's roles, instead of having a role that is their union: what a
 * function may do is written once, and with the function goes the host's right.
 */
export const hostAccount = (landscape: Landscape): KubeObject[] => {
  const subject = { name: 'host', namespace: landscape.provider.namespace }
  return [
    serviceAccount(subject.name, subject.namespace),
    ...Object.entries(landscape.functions).flatMap(([role, { access: rules }]) =>
      bindings({ role, rules, subject, name: `host-${role}` }),
    ),
  ]
}
