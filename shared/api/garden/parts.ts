// Schemas that the Garden uses in several places.
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

/** A reference to a Secret or ConfigMap in namespace garden. */
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

export const olderDomain = about('Older spelling of a single domain; domains replaces it.', text)

export const networks = about('CIDRs. Further ones may be appended, none may be removed.', nonEmptyList(text))

export const featureGates = mapOf(flag)

export const resourceList = mapOf(quantity)

export const autoscaling = object({ minAllowed: about('The least an autoscaler may recommend.', resourceList) })

/** Adds the note that the field has no effect here. */
export const idle = <Value>(schema: Schema<Value>): Schema<Value> =>
  about(`${schema.description ? `${schema.description} ` : ''}${idleNote}`, schema)

const idleNote = 'Accepted and kept, not acted upon.'

export const isIdle = ({ description }: JsonSchema): boolean => description?.endsWith(idleNote) ?? false
