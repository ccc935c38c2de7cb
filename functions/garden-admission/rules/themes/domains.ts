// Domains: DNS names without duplicates, each with a DNS provider if the Garden has providers.
import {
  hasLongLabel,
  isSubdomain,
  longestLabel,
  longestSubdomain,
  subdomainDetail,
} from '../../../../shared/core/objects/dns-name.ts'
import { forbidden, invalid, required } from '../../../../shared/core/objects/field-error.ts'
import { dns, ingress, kubeAPIServerPath } from '../paths.ts'
import { eachOnce, type GardenRule, invalidIf, type ReviewedGarden, relation, relationOfEach, rule } from '../rule.ts'

type Domain = { name: string; provider?: string }

const domains = [`${dns}.domains`, `${ingress}.domains`]
const ofDomains = (field: string): string[] => domains.map(path => `${path}[]${field}`)

/** Espalier creates names such as `gardener.<domain>`. This is the longest prefix for each list of domains. */
const beginnings = [
  { at: `${dns}.domains[].name`, begins: 'gardener.' },
  { at: `${ingress}.domains[].name`, begins: 'plutono-garden.' },
] as const

const isTooLong = (name: string, begins: string): boolean =>
  begins.length + name.length > longestSubdomain || hasLongLabel(name)

const hasProviders = ({ garden }: ReviewedGarden): boolean => garden.spec.dns !== undefined

/** The domain of the virtual garden's API server. No SNI pattern may match this domain, because its clients trust only our own CA. */
const apiServerDomain = ({ garden }: ReviewedGarden): string | undefined => {
  const [first] = garden.spec.virtualCluster.dns.domains ?? []
  return first && `api.${first.name}`
}

/** `*` matches exactly one label. */
const isMatch = (pattern: string, domain = ''): boolean => {
  const labels = domain.split('.')
  const wanted = pattern.split('.')
  return wanted.length === labels.length && wanted.every((label, i) => label === '*' || label === labels[i])
}

export const domainRules: readonly GardenRule[] = [
  invalidIf<string>(ofDomains('.name'), name => !isSubdomain(name), subdomainDetail),
  ...beginnings.map(({ at, begins }) =>
    invalidIf<string>(
      [at],
      name => isSubdomain(name) && isTooLong(name, begins),
      `must have at most ${longestSubdomain - begins.length} characters, and ${longestLabel} between dots`,
    ),
  ),
  eachOnce({ at: domains, field: 'name' }),
  relation<Domain>({
    at: ofDomains(''),
    check: ({ provider }, subject) => provider === undefined && hasProviders(subject),
    error: ({ path }) =>
      required(`${path}.provider`, 'must name one of spec.dns.providers, because spec.dns.providers is set'),
  }),
  relationOfEach<readonly Domain[], number>({
    at: domains,
    check: (list, { garden }) => {
      if (!garden.spec.dns) return []
      const known = new Set(garden.spec.dns.providers.map(({ name }) => name))
      return [...list.keys()].filter(i => list[i]?.provider !== undefined && !known.has(list[i].provider))
    },
    error: ({ path, value }, i) =>
      invalid(`${path}[${i}].provider`, value[i]?.provider, 'must be the name of one of spec.dns.providers'),
  }),
  rule<{ domains?: Domain[]; domain?: string }>({
    at: [dns],
    check: ({ domains, domain }) => domains === undefined && domain === undefined,
    error: ({ path }) => required(`${path}.domains`, 'at least one domain is needed'),
  }),
  invalidIf<string>(
    [`${dns}.domain`, `${ingress}.domain`],
    () => true,
    'is the older form of domains and differs from its first item: set only domains',
  ),
  relation<string>({
    at: [`${kubeAPIServerPath}.sni.domainPatterns[]`],
    check: (pattern, subject) => isMatch(pattern, apiServerDomain(subject)),
    error: ({ path }, subject) =>
      forbidden(
        path,
        `must not match ${apiServerDomain(subject)}: clients of that name trust only the certificate authority of the Garden`,
      ),
  }),
]
