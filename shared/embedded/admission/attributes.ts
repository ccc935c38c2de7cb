// One write as webhooks and policies see it, and whether they apply to it. Webhooks never see webhook configurations or policies.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import type { Authorization } from '../authorization/rbac.ts'
import { type User, userInfo } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { typedObject } from '../kinds/typed.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import type { Store } from '../storage/store.ts'
import { type JsonMap, listAt, listsOrAll, mapOrEmpty, mapsAt } from '../value.ts'
import type { WebhookCaller } from './call-webhook.ts'

export type AdmissionParts = {
  readonly store: Store
  readonly registry: Registry
  readonly authorization: Authorization
  readonly caller: WebhookCaller
}

export type Attributes = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly kind: Kind
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Absent on DELETE. */
  readonly object: KubeObject | undefined
  readonly before?: KubeObject
  readonly user: User
  readonly isDryRun: boolean
  readonly warnings: Set<string>
}

/** The name for the message of a refusal. A write with `generateName` has no name yet. */
export const refusedName = ({ name, object }: Attributes): string => name || object?.metadata.generateName || 'Unknown'

const optionsKind = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

const typeOf = ({ group, version, kind }: Kind): JsonMap => ({ group, version, kind })
const resourceOf = ({ group, version, plural }: Kind): JsonMap => ({ group, version, resource: plural })

/** The namespace of a write. A Namespace object counts as being in itself. */
export const namespaceOf = ({ kind, namespace, name }: Attributes): string => {
  if (kind.namespaced) return namespace
  return kind.collection === 'namespaces' ? name : ''
}

export const requestOf = (attributes: Attributes, kind: Kind): JsonMap => {
  const { kind: requested, operation, user, isDryRun, subresource, name } = attributes
  const namespace = namespaceOf(attributes)
  return {
    kind: typeOf(kind),
    resource: resourceOf(kind),
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    requestKind: typeOf(requested),
    requestResource: resourceOf(requested),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun: isDryRun,
    options: { kind: optionsKind[operation], apiVersion: 'meta.k8s.io/v1', ...(isDryRun && { dryRun: ['All'] }) },
  }
}

const unseen = [
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
]

/** The version of the kind that a webhook sees, or undefined if the webhook does not apply to the write. */
export const wantedKind = (webhook: JsonMap, attributes: Attributes, parts: AdmissionParts): Kind | undefined =>
  unseen.includes(attributes.kind.collection) || !isSelected(webhook, attributes, parts)
    ? undefined
    : kindByRules(webhook, mapsAt(webhook, 'rules'), attributes, parts)

/** The same for a policy's `matchConstraints` and a binding's `matchResources`. */
export const constrainedKind = (
  constraints: JsonMap,
  attributes: Attributes,
  parts: AdmissionParts,
): Kind | undefined => {
  if (!isSelected(constraints, attributes, parts)) return undefined
  if (kindByRules(constraints, mapsAt(constraints, 'excludeResourceRules'), attributes, parts)) return undefined
  const rules = mapsAt(constraints, 'resourceRules')
  return rules.length === 0 ? attributes.kind : kindByRules(constraints, rules, attributes, parts)
}

const isSelected = (criteria: JsonMap, attributes: Attributes, { store }: AdmissionParts): boolean =>
  matchesNamespace(criteria, attributes, store) && matchesObject(criteria, attributes)

const kindByRules = (
  { matchPolicy }: JsonMap,
  rules: readonly JsonMap[],
  attributes: Attributes,
  { registry }: AdmissionParts,
): Kind | undefined => {
  const { kind } = attributes
  if (rules.some(rule => matchesRule(rule, attributes, kind))) return kind
  if (matchPolicy === 'Exact') return undefined
  return registry
    .inCollection(kind.collection)
    .find(other => other !== kind && rules.some(rule => matchesRule(rule, attributes, other)))
}

const matchesRule = (rule: JsonMap, { operation, subresource, name }: Attributes, kind: Kind): boolean =>
  listsOrAll(rule, 'operations', operation) &&
  listsOrAll(rule, 'apiGroups', kind.group) &&
  listsOrAll(rule, 'apiVersions', kind.version) &&
  matchesScope(rule, kind) &&
  (listAt(rule, 'resourceNames').length === 0 || listAt(rule, 'resourceNames').includes(name)) &&
  listAt(rule, 'resources').some(pattern => matchesResource(String(pattern), kind.plural, subresource))

const matchesScope = ({ scope }: JsonMap, kind: Kind): boolean =>
  scope === undefined || scope === '*' || (scope === 'Namespaced') === kind.namespaced

const matchesResource = (pattern: string, plural: string, subresource: string): boolean => {
  const [resource, sub = ''] = pattern.split('/')
  return (
    (resource === '*' || resource === plural) &&
    (sub === '*' || sub === subresource || (pattern === '*' && subresource === ''))
  )
}

const matchesNamespace = (criteria: JsonMap, attributes: Attributes, store: Store): boolean => {
  const requirements = structuredSelector(criteria.namespaceSelector) ?? []
  if (requirements.length === 0) return true
  const { kind, namespace, name, object, before } = attributes
  if (kind.collection === 'namespaces')
    return matchesLabels(
      requirements,
      (object ?? before)?.metadata.labels ?? store.get('namespaces', name)?.object.metadata.labels,
    )
  if (!kind.namespaced) return true
  return matchesLabels(requirements, store.get('namespaces', namespace)?.object.metadata.labels)
}

const matchesObject = (criteria: JsonMap, { object, before }: Attributes): boolean => {
  const requirements = structuredSelector(criteria.objectSelector) ?? []
  if (requirements.length === 0) return true
  return [object, before].some(each => each !== undefined && matchesLabels(requirements, each.metadata.labels))
}

export const asKind = (object: KubeObject | undefined, from: Kind, to: Kind): KubeObject | null => {
  if (!object) return null
  if (from === to) return { ...object, kind: to.kind, apiVersion: apiVersionOf(to) }
  const hidden = from.hide ? from.hide(object) : object
  return to.show ? to.show(hidden) : { ...hidden, apiVersion: apiVersionOf(to) }
}

/** Converts a changed object to its stored version, with its old managedFields. Adds dropped fields to `unknown`. */
export const changedAs = (
  object: KubeObject,
  { kind, seenAs }: { readonly kind: Kind; readonly seenAs: Kind },
  changed: unknown,
  unknown: string[] = [],
): KubeObject => {
  const back = asKind(typedObject(seenAs, mapOrEmpty(changed), unknown), seenAs, kind) ?? object
  const { managedFields } = object.metadata
  const { managedFields: _, ...metadata } = back.metadata
  return { ...back, metadata: managedFields ? { ...metadata, managedFields } : metadata }
}
