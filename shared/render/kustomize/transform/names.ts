// Prefixes, suffixes and the hash of generated content. Whoever refers to the object by name is led to the new one later,
// so each change remembers what the object was called before.
import { type FieldSpec, textSetter, visitFields } from '../fields/field-spec.ts'
import { contentHash } from '../hash.ts'
import { type GvkPattern, isSelected } from '../objects/identity.ts'
import type { Resource } from '../objects/resource.ts'
import { forEach, type Transform } from './transformer.ts'

/** Kinds whose names others depend on in ways that no reference shows. */
const unnamed: readonly GvkPattern[] = [
  { kind: 'CustomResourceDefinition' },
  { kind: 'APIService', group: 'apiregistration.k8s.io' },
  { kind: 'Namespace' },
]

type Affix = {
  readonly affixed: (text: string) => string
  readonly remember: (resource: Resource) => void
}

export const prefixing = (prefix: string, specs: readonly FieldSpec[]): Transform =>
  affixing(
    specs,
    {
      affixed: text => `${prefix}${text}`,
      remember: resource => {
        if (prefix !== '') resource.prefixes = [...resource.prefixes, prefix]
      },
    },
    prefix,
  )

export const suffixing = (suffix: string, specs: readonly FieldSpec[]): Transform =>
  affixing(
    specs,
    {
      affixed: text => `${text}${suffix}`,
      remember: resource => {
        if (suffix !== '') resource.suffixes = [...resource.suffixes, suffix]
      },
    },
    suffix,
  )

const affixing = (specs: readonly FieldSpec[], { affixed, remember }: Affix, affix: string): Transform =>
  forEach(resource => {
    const { original } = resource
    if (unnamed.some(pattern => isSelected(original, pattern))) return
    for (const spec of specs.filter(spec => isSelected(original, spec))) {
      if (spec.path === 'metadata/name') {
        remember(resource)
        if (affix !== '') resource.rememberIdentity()
      }
      visitFields(resource.fields, spec, textSetter(affixed))
    }
  })

export const hashing: Transform = forEach(resource => {
  if (!resource.needsHash) return
  const hash = contentHash(resource.fields)
  resource.rememberIdentity()
  resource.setMetadata('name', `${resource.name}-${hash}`)
})
