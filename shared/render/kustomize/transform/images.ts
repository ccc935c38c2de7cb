// Sets names, tags and digests of images, in all containers of an object and in fields that configurations name.
import { own, put } from '../../../core/json/fields.ts'
import { isMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { type FieldSpec, visitFields } from '../fields/field-spec.ts'
import type { Image } from '../files/arguments.ts'
import { compiled } from '../objects/selector.ts'
import { forEach, type Transform } from './transformer.ts'

export const imaging = (image: Image, specs: readonly FieldSpec[]): Transform => {
  const set = imageSetter(image)
  return forEach(resource => {
    if (resource.kind === 'CustomResourceDefinition') return
    setInContainers(resource.fields, set)
    for (const spec of specs) visitFields(resource.fields, spec, { set })
  })
}

type Setter = (value: unknown) => unknown

const setInContainers = (value: unknown, set: Setter): void => {
  if (Array.isArray(value)) for (const element of value) setInContainers(element, set)
  if (!isMap(value)) return
  for (const [key, inner] of Object.entries(value)) {
    setInContainers(inner, set)
    if ((key === 'containers' || key === 'initContainers') && Array.isArray(inner)) setInEach(inner, set)
  }
}

const setInEach = (containers: readonly unknown[], set: Setter): void => {
  for (const container of containers) {
    if (container === null || container === undefined) continue
    if (!isMap(container)) throw new RenderError('a container must be a map')
    if (Object.hasOwn(container, 'image')) put(container, 'image', set(own(container, 'image')))
  }
}

const imageSetter = (image: Image): Setter => {
  const pattern = compiled(`^${image.name ?? ''}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`)
  return value => {
    if (value === null || value === undefined) return value
    if (typeof value === 'object') throw new RenderError('an image must be text')
    return pattern.matcher(String(value)).find() ? renamed(String(value), image) : value
  }
}

/** A new tag or digest replaces both the old tag and the old digest. */
const renamed = (reference: string, { newName, newTag, digest: newDigest, tagSuffix }: Image): string => {
  const { name, tag, digest } = split(reference)
  const suffixed = tagSuffix ? { tag: `${tag}${tagSuffix}`, digest: '' } : { tag, digest }
  const version = newTag || newDigest ? { tag: newTag ?? '', digest: newDigest ?? '' } : suffixed
  return `${newName || name}${version.tag && `:${version.tag}`}${version.digest && `@${version.digest}`}`
}

/** Splits an image reference. A colon before the first slash belongs to a port, not to a tag. */
const split = (reference: string): { name: string; tag: string; digest: string } => {
  const slash = Math.max(reference.indexOf('/'), 0)
  const [, path = '', tag = '', digest = ''] = /^([^:@]*)(?::([^@]*))?(?:@(.*))?$/s.exec(reference.slice(slash)) ?? []
  return { name: `${reference.slice(0, slash)}${path}`, tag, digest }
}
