// Adds prefixes, suffixes and the hash of generated content to names. Each change records the former name, because references are updated later.

import { sha256Hex } from '../../../core/digest.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { htmlSafe } from '../../../core/text/text.ts'
import { RenderError } from '../../generator.ts'
import { type FieldSpec, textSetter, visitFields } from '../fields/field-spec.ts'
import { type GvkPattern, isSelected } from '../objects/identity.ts'
import { forEach, type Transform } from './transformer.ts'

/** Kinds that get no prefix or suffix: users depend on their names without a reference. */
const unnamed: readonly GvkPattern[] = [
  { kind: 'CustomResourceDefinition' },
  { kind: 'APIService', group: 'apiregistration.k8s.io' },
  { kind: 'Namespace' },
]

type Affix = {
  readonly affix: string
  readonly affixed: (text: string) => string
  readonly list: 'prefixes' | 'suffixes'
}

export const prefixing = (prefix: string, specs: readonly FieldSpec[]): Transform =>
  affixing(specs, { affix: prefix, affixed: text => `${prefix}${text}`, list: 'prefixes' })

export const suffixing = (suffix: string, specs: readonly FieldSpec[]): Transform =>
  affixing(specs, { affix: suffix, affixed: text => `${text}${suffix}`, list: 'suffixes' })

const affixing = (specs: readonly FieldSpec[], { affix, affixed, list }: Affix): Transform =>
  forEach(resource => {
    const { original } = resource
    if (unnamed.some(pattern => isSelected(original, pattern))) return
    for (const spec of specs.filter(spec => isSelected(original, spec))) {
      if (spec.path === 'metadata/name' && affix !== '') {
        resource[list] = [...resource[list], affix]
        resource.rememberIdentity()
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

/** The hash depends only on the content, so that changed content leads to a new name. The letters cannot form words. */
const contentHash = (object: JsonMap): string => {
  const content = contents[String(object.kind)]
  if (content === undefined)
    throw new RenderError(`cannot hash the content of a ${String(object.kind)}; expected ConfigMap or Secret`)
  const hex = sha256Hex(goJson(content(object)))
  return hex.slice(0, 10).replace(/[013ae]/g, digit => letters[digit] ?? digit)
}

const letters: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' }

const contents: Readonly<Record<string, (object: JsonMap) => JsonMap>> = {
  ConfigMap: ({ data, binaryData }) => ({ kind: 'ConfigMap', name: '', data: data ?? '', ...mapNamed({ binaryData }) }),
  Secret: ({ type, data, stringData }) => ({
    kind: 'Secret',
    name: '',
    type: type ?? '',
    data: data ?? '',
    ...mapNamed({ stringData }),
  }),
}

const mapNamed = (field: JsonMap): JsonMap => (Object.values(field).every(isMap) ? field : {})

/** JSON as Go 1.22 and newer write it, with sorted keys. */
const goJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (!isMap(value)) return htmlSafe(JSON.stringify(value ?? null))
  const keys = Object.keys(value).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  return `{${keys.map(key => `${htmlSafe(JSON.stringify(key))}:${goJson(value[key])}`).join(',')}}`
}
