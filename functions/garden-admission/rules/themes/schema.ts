// Turns the schema's restrictions of values into rules. As rules, they are reported together with other faults, and faults of the stored
// Garden may stay. Required fields and types are checked before all rules.
import { gardenSpec } from '../../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../../shared/api/schema.ts'
import { type GardenRule, rule, says } from '../rule.ts'

type Keyword = Pick<Parameters<typeof rule<unknown>>[0], 'check' | 'error'>

const invalidUnless = (holds: (value: unknown) => boolean, detail: string): Keyword => ({
  check: value => !holds(value),
  error: says.invalid(detail),
})

const lengthOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)

const keywords: { readonly [Word in keyof JsonSchema]?: (limit: NonNullable<JsonSchema[Word]>) => Keyword } = {
  enum: words => ({
    check: value => !words.some(word => word === value),
    error: says.notSupported(words),
  }),
  pattern: text => {
    const pattern = new RegExp(text)
    // Only texts are checked, because quantities may also be numbers.
    return invalidUnless(value => typeof value !== 'string' || pattern.test(value), `must match ${text}`)
  },
  minLength: least => invalidUnless(value => lengthOf(value) >= least, `must have at least ${least} characters`),
  minItems: least => invalidUnless(value => lengthOf(value) >= least, `must have at least ${least} items`),
  minimum: least => invalidUnless(value => Number(value) >= least, `must be at least ${least}`),
  maximum: most => invalidUnless(value => Number(value) <= most, `must be at most ${most}`),
}

const rulesOf = (schema: JsonSchema, at: string): GardenRule[] => [
  ...Object.entries(keywords).flatMap(([word, keywordOf]) => {
    const limit = schema[word as keyof JsonSchema]
    return limit === undefined ? [] : rule<unknown>({ at: [at], ...(keywordOf as (limit: unknown) => Keyword)(limit) })
  }),
  ...Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => rulesOf(inner, `${at}.${field}`)),
  ...(schema.items ? rulesOf(schema.items, `${at}[]`) : []),
  ...(schema.additionalProperties ? rulesOf(schema.additionalProperties, `${at}{}`) : []),
]

export const schemaRules: readonly GardenRule[] = rulesOf(gardenSpec, 'spec')
