// Replaces `${NAME}` in the texts of objects. Pure.
import { isMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'

export type ObjectTransformer = (objects: readonly KubeObject[]) => readonly KubeObject[]

type ObjectSelector = (object: KubeObject) => boolean

/** `${NAME}` in any text of the selected objects becomes the value of that name; unknown names stay. */
export const substitute =
  (values: Readonly<Record<string, string>>, selector: ObjectSelector = () => true): ObjectTransformer =>
  objects =>
    objects.map(object => (selector(object) ? (substituted(object, values) as KubeObject) : object))

const substituted = (value: unknown, values: Readonly<Record<string, string>>): unknown => {
  if (typeof value === 'string')
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    )
  if (Array.isArray(value)) return value.map(element => substituted(element, values))
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, substituted(inner, values)]))
}
