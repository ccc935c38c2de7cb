// Which APIs the API server of the virtual garden is told to serve: kube-apiserver does not begin with a key it cannot make
// sense of, nor Gardener without what it calls.
import { gardenerNeededAPIs } from '../../../shared/api/garden/gardener-names.ts'
import { apiKnown } from '../../../shared/api/kubernetes/versions.ts'
import { forbidden, invalid } from '../../../shared/core/field-error.ts'
import { kubeAPIServerPath } from './paths.ts'
import { type FieldPlace, type GardenRule, ownerPath, rule } from './rule.ts'

const entries = [`${kubeAPIServerPath}.runtimeConfig{}`]

/** All APIs at once, or those of one stage. */
const stages: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha']
const neededStages: readonly string[] = ['api/all', 'api/ga']

/** `v1`, `apps/v1`, `apps/v1/deployments`; the flag parts its entries at commas, and keys from values at `=`. */
const form = /^[^/\s,="]+(\/[^/\s,="]+){0,2}$/

const isServed = ({ name, minor }: FieldPlace): boolean =>
  minor === undefined || stages.includes(name) || apiKnown(name, minor) === 'here'

/** A version goes with its resources; of the core group a resource goes with all the others. */
const isNeeded = (key: string): boolean =>
  neededStages.includes(key) ||
  gardenerNeededAPIs.some(needed => needed === key || needed.startsWith(`${key}/`) || key.startsWith(`${needed}/`))

/** As Kubernetes writes a key that is no field's name. */
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
    error: place => invalid(keyPath(place), place.name, `is no API that Kubernetes ${place.minor} serves`),
  }),
  rule<boolean>({
    at: entries,
    check: (isOn, { name }) => !isOn && isNeeded(name),
    error: place => forbidden(keyPath(place), `${place.name} cannot be turned off: Gardener needs it`),
  }),
]
