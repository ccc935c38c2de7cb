// Field specs: the fields and kinds that a transformer changes. A path passes through lists without naming elements.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { type GvkPattern, gvkOf, isSelected } from '../resource.ts'

export type FieldSpec = GvkPattern & {
  readonly path: string
  readonly create?: boolean
}

export type Visit = {
  readonly set: (value: unknown) => unknown
  /** Initial value of a missing field. If absent, a missing field is not created. */
  readonly missing?: () => unknown
}

export const visitFields = (object: JsonMap, spec: FieldSpec, visit: Visit): void => {
  if (isSelected(gvkOf(object), spec)) walk(object, splitPath(spec.path, '/'), spec, visit)
}

/** `a/b\/c` becomes `a`, `b/c`. */
export const splitPath = (path: string, delimiter: string): string[] => {
  const parts = path.split(delimiter)
  if (parts.length > 1 && parts[0] === '') parts.shift()
  const result: string[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (last?.endsWith('\\')) result[result.length - 1] = `${last.slice(0, -1)}${delimiter}${part}`
    else result.push(part)
  }
  return result
}

const walk = (value: unknown, path: readonly string[], spec: FieldSpec, visit: Visit): void => {
  if (value === null || value === undefined) return
  if (Array.isArray(value)) walkList(value, path, spec, visit)
  else if (isMap(value)) walkMap(value, path, spec, visit)
  else throw new RenderError(`considering field '${spec.path}': expected sequence or mapping node`)
}

const walkList = (list: unknown[], path: readonly string[], spec: FieldSpec, visit: Visit): void => {
  for (const element of list) walk(element, path, spec, visit)
}

const walkMap = (map: JsonMap, [step = '', ...rest]: readonly string[], spec: FieldSpec, visit: Visit): void => {
  const name = step.replace(/\[\]$/, '')
  if (name === '') throw new RenderError('cannot set or create an empty field name')
  const isList = name !== step
  const makes = spec.create === true && visit.missing !== undefined && !isList
  const found = own(map, name)
  if (found === undefined && !Object.hasOwn(map, name) && !makes) return
  if (found === null && isList) put(map, name, [])
  if ((found === undefined || found === null) && makes) put(map, name, rest.length === 0 ? visit.missing?.() : {})
  if (rest.length > 0) walk(own(map, name), rest, spec, visit)
  else put(map, name, visit.set(own(map, name)))
}

/** Sets one entry of each map that is found. The spec decides whether missing maps are created. `onNew`: for maps without the entry. */
export const entrySetter = (key: string, value: unknown, onNew: (map: JsonMap) => void = () => {}): Visit => ({
  missing: () => ({}),
  set: found => {
    if (found === null || found === undefined) return found
    if (!isMap(found)) throw new RenderError(`cannot set ${key}: expected a map`)
    if (!Object.hasOwn(found, key)) onNew(found)
    put(found, key, value)
    return found
  },
})

export const textSetter = (change: (text: string, value: unknown) => unknown): Visit => ({
  missing: () => '',
  set: found => {
    if (typeof found === 'object' && found !== null) throw new RenderError('expected a scalar')
    return change(found === null || found === undefined ? '' : String(found), found)
  },
})

/** Throws RenderError if one spec creates a field and the other does not. */
export const mergedSpecs = (specs: readonly FieldSpec[], more: readonly FieldSpec[]): FieldSpec[] => {
  const result = [...specs]
  for (const spec of more) {
    const equal = result.find(one => one.path === spec.path && isSelected(gvkOfSpec(one), spec))
    if (equal === undefined) result.push(spec)
    else if ((equal.create ?? false) !== (spec.create ?? false))
      throw new RenderError(`conflicting fieldspecs for ${spec.path}`)
  }
  return result
}

const gvkOfSpec = ({ group = '', version = '', kind = '' }: FieldSpec) => ({ group, version, kind })
