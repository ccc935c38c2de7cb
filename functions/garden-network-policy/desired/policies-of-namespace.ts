// Which policies a namespace gets, by its role.
import { gardenNamespace } from '../../../shared/api/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type PolicyRow, policyRows, type Role } from './network-policies.ts'

/** `chosen`: names of the namespaces that get all of them. */
export const policiesOfNamespace = (namespace: KubeObject, chosen: ReadonlySet<string>): readonly PolicyRow[] =>
  chosen.has(namespace.metadata.name)
    ? policyRows
    : policyRows.filter(({ roles }) => roles.some(role => has[role](namespace)))

const hasLabel =
  (value: string) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.labels?.['gardener.cloud/role'] === value

const has: Record<Role, (namespace: KubeObject) => boolean> = {
  garden: ({ metadata }) => metadata.name === gardenNamespace,
  shoot: hasLabel('shoot'),
  extension: hasLabel('extension'),
  'istio-system': hasLabel('istio-system'),
  'istio-ingress': hasLabel('istio-ingress'),
  'exposure-class': ({ metadata }) => metadata.labels?.['handler.exposureclass.gardener.cloud/name'] !== undefined,
}
