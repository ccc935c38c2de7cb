// What the webhook changes in a Garden: older spellings of fields, since the schema accepts only the new ones, and defaults that a schema cannot
// express, because they depend on other fields or are inside absent objects.
import { own, valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import {
  dns,
  gardenerAPIServer,
  ingress,
  kubeAPIServerPath,
  kubeControllerManager,
  networking,
  virtualServices,
} from './paths.ts'

/** Without `isMissing`, only absent values count as missing. */
type Default = { at: string; value: unknown; isMissing?: (given: unknown) => boolean }

const isAbsent = (given: unknown): boolean => given === undefined || given === null

/** An empty list of families counts as missing, as in Gardener. */
const isAbsentOrEmpty = (given: unknown): boolean => isAbsent(given) || (Array.isArray(given) && given.length === 0)

const encryptionType = 'encryptionConfig.provider.type'

/** Defaults in the order of application. */
const defaults: readonly Default[] = [
  { at: `${networking}.ipFamilies`, value: ['IPv4'], isMissing: isAbsentOrEmpty },
  { at: `${kubeAPIServerPath}.requests.maxNonMutatingInflight`, value: 400 },
  { at: `${kubeAPIServerPath}.requests.maxMutatingInflight`, value: 200 },
  { at: `${kubeAPIServerPath}.eventTTL`, value: '1h' },
  { at: `${kubeAPIServerPath}.logging.verbosity`, value: 2 },
  { at: `${kubeAPIServerPath}.${encryptionType}`, value: 'aescbc' },
  { at: kubeControllerManager, value: {} },
]

/** Returns a copy with defaults, or the same object if nothing was missing. */
export const withDefaults = <T>(object: T): T => {
  const filled = defaults.reduce(filledAt, object)
  const at = `${gardenerAPIServer}.${encryptionType}`
  return filledAt(filled, { at, value: valueAt(filled, ...kubeAPIServerPath.split('.'), ...encryptionType.split('.')) })
}

const filledAt = <T>(object: T, { at, value, isMissing = isAbsent }: Default): T =>
  changedAt(object, at, given => (isMissing(given) ? value : given))

type Lift = { at: string; lift: (value: unknown) => unknown }

/** `[a.example.com]` → `[{name: a.example.com}]`. */
const namedDomains = (domains: unknown): unknown =>
  Array.isArray(domains) && domains.some(isString)
    ? domains.map(domain => (isString(domain) ? { name: domain } : domain))
    : domains

const isString = (value: unknown): value is string => typeof value === 'string'

/** `{domain: a}` → `{domains: [{name: a}]}`. If `domains` has other values, `domain` stays, and a rule refuses the Garden. */
const withoutDomain = (owner: unknown): unknown => {
  if (!isMap(owner) || !isString(owner.domain)) return owner
  const { domain, ...rest } = owner
  if (rest.domains === undefined) return { ...rest, domains: [{ name: domain }] }
  return firstName(rest) === domain ? rest : owner
}

const firstName = ({ domains }: JsonMap): unknown => {
  const [first] = Array.isArray(domains) ? domains : []
  return isMap(first) ? first.name : undefined
}

/** `10.1.0.0/16` → `[10.1.0.0/16]`. */
const list = (value: unknown): unknown => (isString(value) ? [value] : value)

const lifts: readonly Lift[] = [
  { at: `${dns}.domains`, lift: namedDomains },
  { at: `${ingress}.domains`, lift: namedDomains },
  { at: dns, lift: withoutDomain },
  { at: ingress, lift: withoutDomain },
  ...['nodes', 'pods', 'services'].map(name => ({ at: `${networking}.${name}`, lift: list })),
  { at: virtualServices, lift: list },
]

/** Returns a converted copy, or the same object if nothing changes. */
export const inTodaysSpelling = <T>(object: T): T =>
  lifts.reduce(
    (lifted, { at, lift }) => changedAt(lifted, at, value => (value === undefined ? value : lift(value))),
    object,
  )

/**
 * Returns a copy with the changed field, or the same object if nothing changes or a value on the path is not a map. Creates missing maps
 * only if the new value is not undefined.
 */
const changedAt = <T>(object: T, path: string, change: (value: unknown) => unknown): T =>
  changed(object, path.split('.'), change) as T

const changed = (value: unknown, [step, ...rest]: string[], change: (value: unknown) => unknown): unknown => {
  if (step === undefined) return change(value)
  if (value !== undefined && !isMap(value)) return value
  const owner: JsonMap = value ?? {}
  const inner = own(owner, step)
  const made = changed(inner, rest, change)
  return Object.is(made, inner) ? value : { ...owner, [step]: made }
}
