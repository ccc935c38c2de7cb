// The DNS names that Kubernetes accepts as names of objects.

export const longestSubdomain = 253

/** What DNS itself allows between two dots. */
export const longestLabel = 63

export const isSubdomain = (name: string): boolean => name.length <= longestSubdomain && hasSubdomainForm(name)

/** Whether it has the form of a DNS-1123 subdomain, whatever its length. */
export const hasSubdomainForm = (name: string): boolean => subdomain.test(name)

/** Whether it is a DNS-1123 label, as names of namespaces are. */
export const isLabel = (name: string): boolean => !name.includes('.') && !hasLongLabel(name) && hasSubdomainForm(name)

export const hasLongLabel = (name: string): boolean => name.split('.').some(label => label.length > longestLabel)

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = new RegExp(`^${label}(\\.${label})*$`)

/** What Kubernetes says about a name that is none. */
export const subdomainDetail =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`

/** What Kubernetes says about a text that should be a DNS-1123 subdomain; nothing if it is one. */
export const subdomainFaults = (name: string): readonly string[] => [
  ...(name.length > longestSubdomain ? [`must be no more than ${longestSubdomain} characters`] : []),
  ...(hasSubdomainForm(name) ? [] : [subdomainDetail]),
]
