// Replacements: copies a value of one object, or a fixed value, into fields of other objects.
import { isMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { fieldPath, type Slot, slotsAt, valueAt } from '../fields/field-path.ts'
import { type FieldOptions, type Replacement, type ReplacementTarget, replacement, shaped } from '../files/arguments.ts'
import { nodeText, plainValue } from '../files/documents.ts'
import { type Folder, fromFile } from '../files/folder.ts'
import { parsed } from '../files/kustomization.ts'
import { type Resource, settleTwins } from '../resource.ts'
import { hasSelectedTexts, isMeant } from '../resources.ts'
import type { Transform } from './transformers.ts'

export const replacing = (
  entries: readonly (Replacement & { readonly path?: string })[],
  folder: Folder,
): Transform => {
  const replacements = entries.flatMap(entry => loaded(entry, folder))
  return resources => {
    const room = { characters: charactersMost }
    for (const one of replacements) replace(resources, one, room)
    return resources
  }
}

/** Limit of characters for one list of replacements, because each replacement can double the text of the previous one. */
const charactersMost = 20 * 2 ** 20

type Room = { characters: number }

const take = (room: Room, value: unknown): void => {
  room.characters -= (JSON.stringify(value) ?? '').length
  if (room.characters < 0) throw new RenderError(`replacements write more than ${charactersMost} characters`)
}

const loaded = (entry: Replacement & { readonly path?: string }, folder: Folder): Replacement[] => {
  const { path } = entry
  if (!path) return [entry]
  if (entry.source !== undefined || entry.targets?.length)
    throw new RenderError(`cannot specify both path and inline replacement: ${path}`)
  return fromFile({ folder, path }, text => replacementsIn(text, path))
}

const replacementsIn = (text: string, path: string): Replacement[] => {
  const content = parsed(text, path)
  if (!isMap(content) && !Array.isArray(content)) throw new RenderError(`${path} contains no replacement`)
  return (Array.isArray(content) ? content : [content]).map(one => shaped(one, replacement, path) as Replacement)
}

const replace = (resources: readonly Resource[], one: Replacement, room: Room): void => {
  if ((one.source === undefined && one.sourceValue === undefined) || one.targets === undefined)
    throw new RenderError('replacements must specify a source and at least one target')
  const value = sourceValue(resources, one)
  for (const target of one.targets) replaceInAll(resources, target, { value, room })
}

/** A text that takes the type of the value that it replaces. */
class Untyped {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const sourceValue = (resources: readonly Resource[], { source, sourceValue }: Replacement): unknown => {
  if (source !== undefined && sourceValue !== undefined)
    throw new RenderError('value and resource selectors are mutually exclusive')
  if (source === undefined) return new Untyped(sourceValue ?? '')
  const [found, another] = resources.filter(({ identities }) => identities.some(identity => isMeant(identity, source)))
  const text = JSON.stringify(source)
  if (another !== undefined) throw new RenderError(`multiple matches for selector ${text}`)
  if (found === undefined) throw new RenderError(`nothing selected by ${text}`)
  const value = valueAt(found.fields, fieldPath(source.fieldPath || 'metadata.name'))
  if (isEmpty(value)) throw new RenderError(`fieldPath is missing for replacement source ${text}`)
  return refined(value, source.options)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const refined = (value: unknown, { delimiter, index = 0 }: FieldOptions = {}): unknown => {
  if (!delimiter) return value
  if (typeof value === 'object') throw new RenderError('delimiter option can only be used with scalar nodes')
  const part = nodeText(value).split(delimiter)[index]
  if (part === undefined) throw new RenderError(`options.index ${index} is out of bounds for value ${nodeText(value)}`)
  return typed(value, part)
}

type Writing = { readonly value: unknown; readonly room: Room }

const replaceInAll = (resources: readonly Resource[], target: ReplacementTarget, writing: Writing): void => {
  const { select, reject = [] } = target
  if (select === undefined) throw new RenderError('target must specify resources to select')
  for (const resource of resources) {
    if (!hasSelectedTexts(resource, select)) continue
    if (reject.some(one => (one.labelSelector || one.annotationSelector) && hasSelectedTexts(resource, one))) continue
    const { identities } = resource
    const isRejected = reject.some(one => namesAnything(one) && identities.some(identity => isMeant(identity, one)))
    if (!isRejected && identities.some(identity => isMeant(identity, select))) replaceIn(resource, target, writing)
  }
}

const namesAnything = ({ group, version, kind, name, namespace }: NonNullable<ReplacementTarget['select']>): boolean =>
  [group, version, kind, name, namespace].some(Boolean)

const replaceIn = (
  resource: Resource,
  { fieldPaths, options = {} }: ReplacementTarget,
  { value, room }: Writing,
): void => {
  const root: Slot = {
    value: resource.fields,
    set: object => {
      if (isMap(object)) resource.object = object
    },
  }
  for (const path of fieldPaths?.length ? fieldPaths : ['metadata.name']) {
    const creation = options.create ? { make: () => blank(value) } : undefined
    const slots = slotsAt(root, fieldPath(path), creation)
    if (slots.length === 0) throw new RenderError(`unable to find field ${JSON.stringify(path)} in replacement target`)
    for (const slot of slots) {
      const written = replaced(slot.value, value, options)
      take(room, written)
      slot.set(written)
      settleTwins(resource)
    }
  }
}

const blank = (value: unknown): unknown => {
  if (Array.isArray(value)) return []
  return isMap(value) ? {} : new Untyped('')
}

/** A scalar gets the type of the value it replaces. A map or list is replaced as a whole. */
const replaced = (former: unknown, value: unknown, { delimiter, index = 0 }: FieldOptions): unknown => {
  const isScalar = typeof former !== 'object' || former === null || former instanceof Untyped
  if (delimiter && !isScalar) throw new RenderError('delimiter option can only be used with scalar nodes')
  if (!isScalar) return value instanceof Untyped ? plainValue(value.text) : structuredClone(value)
  const text = textOf(value)
  return typed(former, delimiter ? joined(textOf(former), text, delimiter, index) : text)
}

const joined = (former: string, text: string, delimiter: string, index: number): string => {
  const parts = former.split(delimiter)
  if (index < 0) parts.unshift(text)
  else if (index >= parts.length) parts.push(text)
  else parts[index] = text
  return parts.join(delimiter)
}

const textOf = (value: unknown): string => (value instanceof Untyped ? value.text : nodeText(value))

const typed = (like: unknown, text: string): unknown => {
  if (typeof like === 'string') return text
  const value = plainValue(text)
  if (like instanceof Untyped || typeof value === typeof like) return value
  throw new RenderError(`${JSON.stringify(text)} cannot replace ${nodeText(like)}: the types differ`)
}
