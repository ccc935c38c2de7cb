// Finds the policies that apply to a write. Each policy, binding and parameter object is one invocation.
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Kind } from '../../kinds/kind.ts'
import { matchesLabels, structuredSelector } from '../../storage/selectors.ts'
import { fieldsAt, isMap, type JsonMap, textAt } from '../../value.ts'
import { type AdmissionParts, type Attributes, namespaceOf } from '../attributes.ts'
import { constrainedKind } from '../match.ts'
import type { JudgedWrite } from './values.ts'

type Bound = { readonly policy: KubeObject; readonly binding: KubeObject }
export type Invocation = Bound & { readonly subject: JudgedWrite }
type Misconfiguration = Partial<Bound> & { readonly policy: KubeObject; readonly fault: string }

export type Fault = { readonly message: string; readonly reason?: string }
export type Denial = Fault & Partial<Bound> & { readonly policy: KubeObject }

export const denialText = ({ policy, binding, message }: Denial): string => {
  const bound = binding ? ` with binding '${binding.metadata.name}'` : ''
  return `'${policy.metadata.name}'${bound} denied request: ${message}`
}

export const ignoresFaults = (policy: KubeObject): boolean => textAt(policy, 'spec', 'failurePolicy') === 'Ignore'

export const misconfigured = ({ fault, ...bound }: Misconfiguration): Denial[] =>
  ignoresFaults(bound.policy)
    ? []
    : [{ ...bound, message: `failed to configure ${bound.binding ? 'binding' : 'policy'}: ${fault}` }]

type PolicyFamily = 'validating' | 'mutating'

const group = 'admissionregistration.k8s.io'
/** Policies never apply to policies and bindings. */
const unseen = ['validatingadmissionpolic', 'mutatingadmissionpolic'].flatMap(stem => [
  `${group}/${stem}ies`,
  `${group}/${stem}ybindings`,
])

export const invocationsOf = (
  family: PolicyFamily,
  attributes: Attributes,
  parts: AdmissionParts,
): (Invocation | Misconfiguration)[] => {
  const bindings = parts.store.collection(`${group}/${family}admissionpolicybindings`)
  if (bindings.size === 0 || unseen.includes(attributes.kind.collection)) return []
  const byPolicy = Map.groupBy(byName([...bindings.values()].map(({ object }) => object)), binding =>
    textAt(binding, 'spec', 'policyName'),
  )
  return [...byPolicy].flatMap(([name, bound]) => {
    const policy = parts.store.get(`${group}/${family}admissionpolicies`, name)?.object
    return policy ? ofPolicy(policy, bound, attributes, parts) : []
  })
}

const byName = (objects: KubeObject[]): KubeObject[] =>
  objects.sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))

const ofPolicy = (
  policy: KubeObject,
  bindings: readonly KubeObject[],
  attributes: Attributes,
  parts: AdmissionParts,
): (Invocation | Misconfiguration)[] => {
  const seenAs = constrainedKind(fieldsAt(policy, 'spec', 'matchConstraints') ?? {}, attributes, parts)
  if (!seenAs) return []
  const paramKind = fieldsAt(policy, 'spec', 'paramKind')
  const kind = paramKind && parts.registry.named(textAt(paramKind, 'apiVersion'), textAt(paramKind, 'kind'))
  if (paramKind && !kind) return [{ policy, fault: unknownParamKind(paramKind) }]
  const namespace = attributes.kind.namespaced ? attributes.namespace : ''
  const namespaceObject = parts.store.get('namespaces', namespace)?.object ?? null
  return bindings.flatMap((binding): (Invocation | Misconfiguration)[] => {
    const resources = fieldsAt(binding, 'spec', 'matchResources')
    if (resources && !constrainedKind(resources, attributes, parts)) return []
    const found = paramsFor({ kind, ref: fieldsAt(binding, 'spec', 'paramRef') }, attributes, parts)
    if (typeof found === 'string') return [{ policy, binding, fault: found }]
    return found.map(params => ({ policy, binding, subject: { ...attributes, seenAs, params, namespaceObject } }))
  })
}

const unknownParamKind = ({ apiVersion, kind }: JsonMap): string => {
  const version = String(apiVersion)
  const shown = version.includes('/') ? version : `/${version}`
  return `failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`
}

type Params = { readonly kind: Kind | undefined; readonly ref: JsonMap | undefined }

const paramsFor = (
  { kind, ref }: Params,
  attributes: Attributes,
  { store }: AdmissionParts,
): (KubeObject | null)[] | string => {
  if (!kind || !ref) return [null]
  const namespace = textAt(ref, 'namespace') || namespaceOf(attributes)
  if (kind.namespaced && !namespace)
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
  if (!kind.namespaced && ref.namespace)
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`'
  const selector = isMap(ref.selector) ? structuredSelector(ref.selector) : undefined
  const prefix = kind.namespaced ? `${namespace}/` : ''
  const keys = ref.name ? [`${prefix}${ref.name}`] : store.now(kind.collection).keys(prefix)
  const found = keys.flatMap(key => {
    const object = store.get(kind.collection, key)?.shown(kind)
    return object && (!selector || matchesLabels(selector, object.metadata.labels)) ? [object] : []
  })
  return found.length === 0 && ref.parameterNotFoundAction === 'Deny'
    ? 'no params found for policy binding with `Deny` parameterNotFoundAction'
    : found
}
