// References between objects. Updates every field that refers to a changed name: finds the target by kind, former names and namespace, or else by
// prefixes and suffixes. Replaces the older variables of kustomize, `$(NAME)`, by a field of an object.
import { own, put } from '../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { RenderError } from '../generator.ts'
import type { NameReference } from './fields/default-fields.ts'
import { fieldPath, valueAt } from './fields/field-path.ts'
import { type FieldSpec, visitFields } from './fields/field-spec.ts'
import type { Variable } from './files/arguments.ts'
import { nodeScalar } from './files/documents.ts'
import {
  effectiveNamespace,
  type GvkPattern,
  groupAndVersion,
  type Identity,
  identityText,
  isSameKind,
  isSelected,
  type Resource,
  settleTwins,
} from './resource.ts'
import { everKnownAs } from './resources.ts'

export const followNames = (resources: readonly Resource[], references: readonly NameReference[]): void => {
  const formerly = byFormerName(resources)
  for (const referrer of resources) {
    const { original } = referrer
    const reachable = reachability(referrer)
    const candidates = (name: string): Resource[] => (formerly.get(name) ?? []).filter(reachable)
    for (const { fieldSpecs, ...kind } of references)
      for (const spec of fieldSpecs ?? []) if (isSelected(original, spec)) follow({ referrer, kind, spec, candidates })
  }
}

type Reference = {
  readonly referrer: Resource
  readonly kind: GvkPattern
  readonly spec: FieldSpec
  readonly candidates: (formerName: string) => Resource[]
}

const byFormerName = (resources: readonly Resource[]): Map<string, Resource[]> => {
  const index = new Map<string, Resource[]>()
  for (const resource of resources)
    for (const name of new Set(resource.former.map(({ name }) => name)))
      index.set(name, [...(index.get(name) ?? []), resource])
  return index
}

/** An object can refer to its own namespace, to cluster-scoped objects, and to accounts that a RoleBinding names in other namespaces. */
const reachability = (referrer: Resource): ((target: Resource) => boolean) => {
  const { current } = referrer
  if (current.isClusterScoped) return () => true
  const elsewhere = subjectNamespaces(referrer)
  return target =>
    target.current.isClusterScoped ||
    effectiveNamespace(target.current) === effectiveNamespace(current) ||
    elsewhere.has(target.namespace)
}

const subjectNamespaces = ({ kind, fields }: Resource): ReadonlySet<string> => {
  const subjects = kind === 'RoleBinding' && Array.isArray(fields.subjects) ? fields.subjects.filter(isMap) : []
  return new Set(
    subjects
      .filter(subject => subject.kind === 'ServiceAccount' && Object.hasOwn(subject, 'namespace'))
      .map(subject => {
        if (typeof subject.namespace !== 'string') throw new RenderError('namespace is blank for a subject')
        return subject.namespace
      }),
  )
}

const follow = (reference: Reference): void => {
  const { referrer, spec } = reference
  const { group, version, kind } = referrer.current
  visitFields(
    referrer.fields,
    { ...spec, group, version, kind, create: false },
    { set: value => renamed(value, reference) },
  )
}

const renamed = (value: unknown, reference: Reference): unknown => {
  if (Array.isArray(value)) return value.map(element => renamed(element, reference))
  if (isMap(value)) return renamedMap(value, reference)
  if (value === null || value === undefined) return value
  const name = String(value)
  const target = targetOf(name, reference.candidates(name), reference, ({ name }) => name)
  return target && target.name !== name ? target.name : value
}

/** If the reference has a namespace, updates name and namespace. */
const renamedMap = (map: JsonMap, reference: Reference): JsonMap => {
  if (!Object.hasOwn(map, 'name'))
    throw new RenderError(`updating name reference in '${reference.spec.path}': no 'name' field in node`)
  const name = nodeScalar(own(map, 'name'))
  const candidates = inNamespace(reference.candidates(name), own(map, 'namespace'))
  const target = targetOf(name, candidates, reference, ({ name, namespace }) => `${namespace}/${name}`)
  if (target === undefined || (target.name === name && target.namespace === '')) return map
  put(map, 'name', target.name)
  if (target.namespace !== '') put(map, 'namespace', target.namespace)
  return map
}

/** Candidates with this original namespace. If there are none, candidates with this current namespace. */
const inNamespace = (candidates: readonly Resource[], namespace: unknown): Resource[] => {
  if (namespace === undefined) return [...candidates]
  const [original, current] = (['original', 'current'] as const).map(which =>
    candidates.filter(candidate => effectiveNamespace(candidate[which]) === nodeScalar(namespace)),
  )
  return original?.length ? original : (current ?? [])
}

const targetOf = (
  name: string,
  candidates: readonly Resource[],
  { referrer, kind, spec }: Reference,
  wording: (target: Resource) => string,
): Resource | undefined => {
  const role = spec.path.endsWith('roleRef/name') ? roleReferred(referrer) : undefined
  const fitting = candidates
    .filter(({ previous }) => previous.some(identity => isSelected(identity, kind)))
    .filter(({ previous }) => role === undefined || previous.some(identity => isSelected(identity, role)))
    .filter(candidate => sharesNamespace(candidate, referrer))
  if (fitting.length === 1) return fitting[0]
  const kin = closest(fitting, referrer)
  if (new Set(kin.map(wording)).size <= 1) return kin[0]
  throw new RenderError(
    `${name}: found multiple possible referrals: ${kin.map(one => identityText(one.current)).join(', ')}`,
  )
}

const roleReferred = ({ fields: { roleRef } }: Resource): GvkPattern | undefined => {
  if (!isMap(roleRef) || own(roleRef, 'apiGroup') === undefined || own(roleRef, 'kind') === undefined) return undefined
  return { group: nodeScalar(roleRef.apiGroup), kind: nodeScalar(roleRef.kind) }
}

const sharesNamespace = (candidate: Resource, referrer: Resource): boolean =>
  referrer.current.isClusterScoped ||
  candidate.current.isClusterScoped ||
  candidate.kind === 'ServiceAccount' ||
  effectiveNamespace(candidate.current) === effectiveNamespace(referrer.current)

/** Candidates with the same prefixes and suffixes. An object without any matches all objects, unless several candidates remain. */
const closest = (candidates: readonly Resource[], referrer: Resource): Resource[] => {
  const isKin = (candidate: Resource, allowEmpty: boolean): boolean =>
    (['prefixes', 'suffixes'] as const).every(list => {
      const [one, other] = [candidate[list], referrer[list]]
      return (allowEmpty && (one.length === 0 || other.length === 0)) || endsAlike(one, other)
    })
  const kin = candidates.filter(candidate => isKin(candidate, true))
  return kin.length > 1 ? kin.filter(candidate => isKin(candidate, false)) : kin
}

const endsAlike = (left: readonly string[], right: readonly string[]): boolean => {
  const length = Math.min(left.length, right.length)
  if (length === 0) return left.length === right.length
  return left.slice(-length).join(',') === right.slice(-length).join(',')
}

/** Adds a kustomization's variables to the variables of its bases, and marks the objects that they read. */
export const withVariables = (
  known: readonly Variable[],
  added: readonly Variable[],
  resources: readonly Resource[],
): Variable[] => {
  for (const variable of added) mark(variable, resources)
  return distinct([...known, ...added])
}

export const distinct = (variables: readonly Variable[]): Variable[] => {
  const names = new Set<string>()
  for (const { name = '' } of variables) {
    if (names.has(name)) throw new RenderError(`var '${name}' already encountered`)
    names.add(name)
  }
  return [...variables]
}

const mark = ({ name = '', objref = {} }: Variable, resources: readonly Resource[]): void => {
  const gvk = {
    group: objref.group ?? '',
    version: objref.version ?? '',
    kind: objref.kind ?? '',
    ...(objref.apiVersion ? groupAndVersion(objref.apiVersion) : {}),
  }
  const fits = (identity: Identity): boolean =>
    isSameKind(gvk, identity) &&
    identity.name === (objref.name ?? '') &&
    (!objref.namespace || objref.namespace === effectiveNamespace(identity))
  const [found, another] = everKnownAs(resources, fits)
  if (another !== undefined) throw new RenderError(`found several matches for var ${name} (unable to disambiguate)`)
  if (found !== undefined) found.variables = [...found.variables, name]
}

export const resolveVariables = (
  variables: readonly Variable[],
  resources: readonly Resource[],
  specs: readonly FieldSpec[],
): void => {
  const values = new Map(variables.map(variable => [variable.name ?? '', sourceValue(variable, resources)]))
  if (values.size === 0) return
  for (const resource of resources) {
    for (const spec of specs)
      visitFields(resource.fields, { ...spec, create: false }, { set: value => replaced(value, values) })
    settleTwins(resource)
  }
}

const sourceValue = ({ name = '', fieldref }: Variable, resources: readonly Resource[]): unknown => {
  const source = resources.find(({ variables }) => variables.includes(name))
  if (source === undefined)
    throw new RenderError(`var '${name}' cannot be mapped to a field in the set of known resources`)
  const steps = fieldPath(fieldref?.fieldPath || 'metadata.name').flatMap(withIndex)
  const value = valueAt(source.fields, steps)
  if (value === undefined) throw new RenderError(`field specified in var '${name}' not found in corresponding resource`)
  return value
}

/** `ports[0]` becomes `ports`, `0`. */
const withIndex = (step: string): string[] => {
  const [, name = '', index] = /^(.*)\[(\d+)\]$/.exec(step) ?? []
  return index === undefined ? [step] : [name, index].filter(part => part !== '')
}

type Values = ReadonlyMap<string, unknown>

const replaced = (value: unknown, values: Values): unknown => {
  if (typeof value === 'string') return expanded(value, values)
  if (Array.isArray(value)) return value.map(element => expandedText(element, values))
  if (isMap(value))
    for (const [key, text] of Object.entries(value))
      if (typeof text === 'string') put(value, key, expanded(text, values))
  return value
}

const expandedText = (element: unknown, values: Values): unknown => {
  if (typeof element !== 'string') throw new RenderError('variables can be replaced only in a list of strings')
  return expanded(element, values)
}

/** A text that consists only of a variable becomes the variable's value, with the type of the value. `$$` becomes a dollar sign. */
const expanded = (text: string, values: Values): unknown => {
  const [whole, name] = /^\$\(([^)]*)\)$/.exec(text) ?? []
  if (whole !== undefined && name !== undefined) return scalar(name, values) ?? whole
  // No variable ends after the last bracket. Searching for an end from each `$` there would take quadratic time.
  const end = text.lastIndexOf(')') + 1
  const head = text
    .slice(0, end)
    .replace(/\$(\$|\(([^)]*)\))/g, (reference, _sign, name?: string) =>
      name === undefined ? '$' : String(scalar(name, values) ?? reference),
    )
  return `${head}${text.slice(end).replaceAll('$$', '$')}`
}

const scalar = (name: string, values: Values): unknown => {
  const value = values.get(name)
  return typeof value === 'object' ? undefined : value
}
