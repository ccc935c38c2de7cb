// The older variables of kustomize (`vars`): replaces `$(NAME)` in certain fields by a field of an object.
import { put } from '../../core/json/fields.ts'
import { isMap } from '../../core/json/json.ts'
import { RenderError } from '../generator.ts'
import { fieldPath, valueAt } from './fields/field-path.ts'
import { type FieldSpec, visitFields } from './fields/field-spec.ts'
import type { Variable } from './files/arguments.ts'
import { effectiveNamespace, groupAndVersion, type Identity, isSameKind } from './objects/identity.ts'
import { type Resource, settleTwins } from './objects/resource.ts'
import { everKnownAs } from './objects/resources.ts'

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
