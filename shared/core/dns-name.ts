// Names that Kubernetes takes for DNS names.

export const longestSubdomain = 253

/** Whether it is a DNS-1123 subdomain. */
export const isSubdomain = (name: string): boolean => name.length <= longestSubdomain && hasSubdomainForm(name)

/** Whether its letters are those of a DNS-1123 subdomain, however long it is. */
export const hasSubdomainForm = (name: string): boolean => subdomain.test(name)

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = new RegExp(`^${label}(\\.${label})*$`)

/** What Kubernetes says of one that is none. */
export const subdomainDetail =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`
