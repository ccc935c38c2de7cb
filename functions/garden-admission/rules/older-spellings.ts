// Converts older spellings of fields before the API server validates a Garden. The schema accepts only the new spellings.
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import { changedAt, dns, ingress, networking, virtualServices } from './paths.ts'

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
