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

export const olderDomain = about('Deprecated form of a single domain; use domains.', text)

export const networks = about('CIDRs. CIDRs can be added, but not removed.', nonEmptyList(text))

export const featureGates = mapOf(flag)

export const resourceList = mapOf(quantity)

export const autoscaling = object({
  minAllowed: about('Lower limit for recommendations of the autoscaler.', resourceList),
})

/** Adds the note that the field has no effect here. */
export const idle = <Value>(schema: Schema<Value>): Schema<Value> =>
  about(`${schema.description ? `${schema.description} ` : ''}${idleNote}`, schema)

const idleNote = 'Accepted and stored, but has no effect.'

export const isIdle = ({ description }: JsonSchema): boolean => description?.endsWith(idleNote) ?? false
