// Where one definition (CRD) accepts less than another: values that it refuses, fields that it drops, versions and subresources that it lacks.
import { isDeepStrictEqual } from 'node:util'
import type { CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'

type Version = {
  readonly name: string
  readonly served: boolean
  readonly subresources?: Readonly<Record<string, unknown>>
  readonly schema: { readonly openAPIV3Schema: JsonSchema }
}

/** As definitions of others may be, too. */
type Definition = Pick<CustomResourceDefinition, 'spec'>

/** Each with version and path. Example: `v1beta2 spec.channel: pattern "^[a-z]+$"` */
export const narrower = (ours: Definition, theirs: Definition): string[] =>
  versionsOf(theirs).flatMap(version => {
    const own = versionsOf(ours).find(({ name }) => name === version.name)
    if (own === undefined) return [`${version.name} is missing`]
    const missing = Object.keys(version.subresources ?? {}).filter(name => own.subresources?.[name] === undefined)
    return [
      ...(version.served && !own.served ? ['is not served'] : []),
      ...missing.map(name => `has no subresource ${name}`),
      ...narrowerSchema(own.schema.openAPIV3Schema, version.schema.openAPIV3Schema, ''),
    ].map(text => `${version.name} ${text}`)
  })

const versionsOf = ({ spec }: Definition) => spec.versions as readonly Version[]

const narrowerSchema = (ours: JsonSchema, theirs: JsonSchema, path: string): string[] => [
  ...rules.flatMap(rule => rule(ours, theirs)).map(text => `${path || '.'}: ${text}`),
  ...Object.entries(theirs.properties ?? {}).flatMap(([name, field]) => {
    const own = ours.properties?.[name] ?? ours.additionalProperties
    const at = path ? `${path}.${name}` : name
    if (own) return narrowerSchema(own, field, at)
    return ours['x-kubernetes-preserve-unknown-fields'] ? [] : [`${at}: is dropped`]
  }),
  ...(theirs.items && ours.items ? narrowerSchema(ours.items, theirs.items, `${path}[]`) : []),
  ...(theirs.additionalProperties && ours.additionalProperties
    ? narrowerSchema(ours.additionalProperties, theirs.additionalProperties, `${path}{}`)
    : []),
]

type Rule = (ours: JsonSchema, theirs: JsonSchema) => readonly string[]

/** Fields that may limit values. A difference is a fault if only our definition has the field, or has another value. */
const limits = [
  'type',
  'format',
  'pattern',
  'minLength',
  'minItems',
  'minimum',
  'maxLength',
  'maxItems',
  'maximum',
  'anyOf',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-map-type',
] as const satisfies readonly (keyof JsonSchema)[]

/** What their definition accepts and ours must accept too. */
const freedoms = ['nullable', 'x-kubernetes-preserve-unknown-fields', 'additionalProperties', 'default'] as const

const rules: readonly Rule[] = [
  (ours, theirs) =>
    limits
      .filter(name => ours[name] !== undefined && !isDeepStrictEqual(ours[name], theirs[name]))
      .map(name => `${name} ${JSON.stringify(ours[name])}`),
  (ours, theirs) =>
    freedoms.filter(name => theirs[name] !== undefined && ours[name] === undefined).map(name => `no ${name}`),
  (ours, theirs) =>
    ours.default !== undefined && !isDeepStrictEqual(ours.default, theirs.default)
      ? [`default ${JSON.stringify(ours.default)}`]
      : [],
  (ours, theirs) =>
    (ours.required ?? [])
      .filter(name => !theirs.required?.includes(name) && ours.properties?.[name]?.default === undefined)
      .map(name => `${name} is required`),
  (ours, theirs) => {
    if (ours.enum === undefined) return []
    const { enum: words = [undefined] } = theirs
    const refused = words.filter(word => word === undefined || !ours.enum?.includes(word))
    return refused.map(word => (word === undefined ? 'has words' : `${JSON.stringify(word)} is refused`))
  },
  // Rules with the same meaning may have other words, so only their number is compared.
  (ours, theirs) => (rulesIn(ours) > rulesIn(theirs) ? ['has rules'] : []),
]

const rulesIn = (schema: JsonSchema): number => schema['x-kubernetes-validations']?.length ?? 0
