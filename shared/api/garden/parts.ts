// Pieces of the Garden's schema that it has in several places.
import {
  about,
  atomic,
  defaulted,
  flag,
  type JsonSchema,
  mapOf,
  nonEmptyList,
  nonEmptyText,
  object,
  options,
  quantity,
  type Schema,
  text,
} from '../schema.ts'

/** A Secret or ConfigMap of namespace garden, by its name. */
export const localRef = atomic(options({ name: defaulted(text, '') }))

export const domains = about(
  'Domains; the first one is immutable.',
  nonEmptyList(
    object(
      { name: nonEmptyText },
      { provider: about('Name of one of the providers in spec.dns, if there are any.', text) },
    ),
  ),
)

/** The spelling before `domains`. */
export const olderDomain = about('Older spelling of a single domain; domains replaces it.', text)

export const networks = about('CIDRs. Further ones may be appended, none may be removed.', nonEmptyList(text))

export const featureGates = mapOf(flag)

export const resourceList = mapOf(quantity)

export const autoscaling = object({ minAllowed: about('The least an autoscaler may recommend.', resourceList) })

/** Says of a field that it has no effect here. */
export const idle = <Value>(schema: Schema<Value>): Schema<Value> =>
  about(`${schema.description ? `${schema.description} ` : ''}${idleNote}`, schema)

const idleNote = 'Accepted and kept, not acted upon.'

export const isIdle = ({ description }: JsonSchema): boolean => description?.endsWith(idleNote) ?? false
