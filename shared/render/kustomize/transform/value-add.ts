// One value into a field of the chosen objects, or as a part of the path that stands there.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { splitPath } from '../fields/field-spec.ts'
import type { Selector } from '../files/arguments.ts'
import { nodeText } from '../objects/nodes.ts'
import { selected } from '../objects/selector.ts'
import { namespacing } from './namespace.ts'
import type { Transform } from './transformer.ts'

export type ValueTarget = {
  readonly selector?: Selector
  readonly fieldPath?: string
  /** From 1; which part of a file path is meant. */
  readonly filePathPosition?: number
}

export const addingValue = (value: string, targets: readonly ValueTarget[]): Transform => {
  if (targets.length === 0) throw new RenderError('must specify at least one target')
  if (targets.some(({ fieldPath }) => !fieldPath)) throw new RenderError('fieldPath cannot be empty')
  return resources => {
    for (const { selector, fieldPath = '', filePathPosition = 0 } of targets) {
      const chosen = selector ? selected(resources, selector) : resources
      if (fieldPath === 'metadata/namespace') namespacing(value, { specs: [] })(chosen)
      else
        for (const { fields } of chosen)
          setAt(fields, splitPath(fieldPath, '/'), text => placed(text, value, filePathPosition))
    }
    return resources
  }
}

const setAt = (map: JsonMap, [key = '', ...rest]: readonly string[], change: (text: string) => string): void => {
  const found = own(map, key)
  if (rest.length === 0) {
    if (typeof found === 'object' && found !== null) throw new RenderError(`${key} holds no scalar`)
    put(map, key, change(nodeText(found)))
    return
  }
  if (found === undefined || found === null) put(map, key, {})
  const inner = own(map, key)
  if (!isMap(inner)) throw new RenderError(`${key} holds no map`)
  setAt(inner, rest, change)
}

/** The value instead of the text, or as the part of the path at that position. */
const placed = (text: string, value: string, position: number): string => {
  if (position <= 0) return value
  const isAbsolute = text.startsWith('/')
  const parts = text.split('/').filter(part => part !== '')
  parts.splice(position - 1, 0, value)
  return `${isAbsolute ? '/' : ''}${parts.join('/')}`
}
