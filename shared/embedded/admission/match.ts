// Whether a webhook wants to see a write: rules, selectors, and the kinds that webhooks never see.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { matchesLabels, structuredSelector } from '../storage/label-selector.ts'
import type { Store } from '../storage/store.ts'
import { type JsonMap, listAt, listsOrAll, mapsAt } from '../value.ts'
import type { Attributes } from './attributes.ts'

const unseen = [
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
]

/** The version of the kind in which a webhook gets to see this write; undefined when it does not want it. */
export const wantedKind = (
  webhook: JsonMap,
  attributes: Attributes,
  store: Store,
  registry: Registry,
): Kind | undefined => {
  const { kind } = attributes
  if (unseen.includes(kind.collection)) return undefined
  if (!matchesNamespace(webhook, attributes, store) || !matchesObject(webhook, attributes)) return undefined
  const rules = mapsAt(webhook, 'rules')
  if (rules.some(rule => matchesRule(rule, attributes, kind))) return kind
  if (webhook.matchPolicy === 'Exact') return undefined
  return registry
    .inCollection(kind.collection)
    .find(other => other !== kind && rules.some(rule => matchesRule(rule, attributes, other)))
}

const matchesRule = (rule: JsonMap, { operation, subresource }: Attributes, kind: Kind): boolean =>
  listsOrAll(rule, 'operations', operation) &&
  listsOrAll(rule, 'apiGroups', kind.group) &&
  listsOrAll(rule, 'apiVersions', kind.version) &&
  matchesScope(rule, kind) &&
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

const matchesNamespace = (webhook: JsonMap, attributes: Attributes, store: Store): boolean => {
  const requirements = structuredSelector(webhook.namespaceSelector) ?? []
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

const matchesObject = (webhook: JsonMap, { object, before }: Attributes): boolean => {
  const requirements = structuredSelector(webhook.objectSelector) ?? []
  if (requirements.length === 0) return true
  return [object, before].some(each => each !== undefined && matchesLabels(requirements, each.metadata.labels))
}

/** An object as a version of its kind. */
export const asKind = (object: KubeObject | undefined, from: Kind, to: Kind): KubeObject | null => {
  if (!object) return null
  if (from === to) return { ...object, kind: to.kind, apiVersion: apiVersionOf(to) }
  const hidden = from.hide ? from.hide(object) : object
  return to.show ? to.show(hidden) : { ...hidden, apiVersion: apiVersionOf(to) }
}
