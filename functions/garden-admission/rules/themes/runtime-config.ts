// runtimeConfig switches APIs of the virtual garden's API server. kube-apiserver does not start with unknown keys, and Gardener needs some
// APIs.
import { gardenerNeededAPIs } from '../../../../shared/api/garden/gardener-names.ts'
import { apiKnown } from '../../../../shared/api/kubernetes/versions.ts'
import { forbidden, invalid } from '../../../../shared/core/objects/field-error.ts'
import { kubeAPIServerPath } from '../paths.ts'
import { type FieldPlace, type GardenRule, ownerPath, rule } from '../rule.ts'

const entries = [`${kubeAPIServerPath}.runtimeConfig{}`]

/** Keys for all APIs, or all APIs of one stage. */
const stages: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha']
const neededStages: readonly string[] = ['api/all', 'api/ga']

/** Matches `v1`, `apps/v1` and `apps/v1/deployments`. Commas and `=` are excluded, because they are separators of the flag. */
const form = /^[^/\s,="]+(\/[^/\s,="]+){0,2}$/

const isServed = ({ name, minor }: FieldPlace): boolean =>
  minor === undefined || stages.includes(name) || apiKnown(name, minor) === 'here'

/** Whether the key is a needed API, a version with a needed resource, or a resource of a needed version. */
const isNeeded = (key: string): boolean =>
  neededStages.includes(key) ||
  gardenerNeededAPIs.some(needed => needed === key || needed.startsWith(`${key}/`) || key.startsWith(`${needed}/`))

/** The path of a key in the form of Kubernetes. */
const keyPath = (place: FieldPlace): string => `${ownerPath(place)}[${place.name}]`

export const runtimeConfigRules: readonly GardenRule[] = [
  rule<boolean>({
    at: entries,
    check: (_, { name }) => !form.test(name),
    error: place => invalid(keyPath(place), place.name, 'must be <group>/<version> or v1, with /<resource> or without'),
  }),
  rule<boolean>({
    at: entries,
    check: (_, place) => form.test(place.name) && !isServed(place),
    error: place => invalid(keyPath(place), place.name, `is not an API that Kubernetes ${place.minor} serves`),
  }),
  rule<boolean>({
    at: entries,
    check: (isOn, { name }) => !isOn && isNeeded(name),
    error: place => forbidden(keyPath(place), `${place.name} cannot be turned off: Gardener needs it`),
  }),
]
