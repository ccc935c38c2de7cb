// Additional resources of a Garden: each resource has a name, and refers to a Secret or ConfigMap.
import { invalid, notSupported, required } from '../../../../shared/core/objects/field-error.ts'
import { eachOnce, type GardenRule, rule, says } from '../rule.ts'

type Reference = { apiVersion?: string; kind: string; name: string }

const resources = 'spec.resources[]'
const references = `${resources}.resourceRef`

const referable: readonly string[] = ['v1, Kind=ConfigMap', 'v1, Kind=Secret']

/** The text form of a GroupVersionKind in Kubernetes. */
const kindOf = ({ apiVersion, kind }: Reference): string => `${apiVersion}, Kind=${kind}`

const hasVersion = ({ apiVersion }: Reference): boolean => Boolean(apiVersion)

/** Whether apiVersion has at most one slash, as in `v1` and `apps/v1`. */
const isReadable = ({ apiVersion = '' }: Reference): boolean => apiVersion.split('/').length <= 2

const namesAKind = (reference: Reference): boolean =>
  hasVersion(reference) && reference.kind !== '' && isReadable(reference)

export const resourceRules: readonly GardenRule[] = [
  rule<string>({
    at: [`${resources}.name`, `${references}.kind`, `${references}.name`],
    check: text => text === '',
    error: says.required('must not be empty'),
  }),
  rule<Reference>({
    at: [references],
    check: reference => !hasVersion(reference),
    error: ({ path }) => required(`${path}.apiVersion`, 'must be v1'),
  }),
  rule<Reference>({
    at: [references],
    check: reference => !isReadable(reference),
    error: ({ path, value }) => invalid(`${path}.apiVersion`, value.apiVersion, 'must be <group>/<version> or v1'),
  }),
  rule<Reference>({
    at: [references],
    check: reference => namesAKind(reference) && !referable.includes(kindOf(reference)),
    error: ({ path, value }) => notSupported(path, kindOf(value), referable),
  }),
]

export const uniquenessRules: readonly GardenRule[] = [
  eachOnce({ at: ['spec.dns.providers'], field: 'name' }),
  eachOnce({ at: ['spec.extensions'], field: 'type' }),
  eachOnce({ at: ['spec.resources'], field: 'name' }),
]
