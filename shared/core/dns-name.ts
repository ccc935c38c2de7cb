// Names that Kubernetes takes for DNS names.

/** Whether it is a DNS-1123 subdomain. */
export const isSubdomain = (name: string): boolean => name.length <= 253 && subdomain.test(name)

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = new RegExp(`^${label}(\\.${label})*$`)

/** What Kubernetes says of one that is none. */
export const subdomainDetail =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`
