// Checks names of objects, which must be DNS names, and keys and values of labels, as Kubernetes does.
//
//   isLabelKey('app.kubernetes.io/name') // true
export const longestSubdomain = 253

/** DNS limits the text between two dots to this length. */
export const longestLabel = 63

export const isSubdomain = (name: string): boolean => name.length <= longestSubdomain && hasSubdomainForm(name)

/** Whether the name has the form of a DNS-1123 subdomain; its length is ignored. */
export const hasSubdomainForm = (name: string): boolean => subdomain.test(name)

export const isLabel = (name: string): boolean => !name.includes('.') && !hasLongLabel(name) && hasSubdomainForm(name)

export const hasLongLabel = (name: string): boolean => name.split('.').some(label => label.length > longestLabel)

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = new RegExp(`^${label}(\\.${label})*$`)

export const subdomainDetail =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  `with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`

/** Kubernetes' messages for a name that must be a DNS-1123 subdomain; none if it is one. */
export const subdomainFaults = (name: string): readonly string[] => [
  ...(name.length > longestSubdomain ? [`must be no more than ${longestSubdomain} characters`] : []),
  ...(hasSubdomainForm(name) ? [] : [subdomainDetail]),
]

/** A name, optionally after a DNS subdomain and a slash. */
export const isLabelKey = (key: string): boolean => {
  const [name = '', prefix, ...more] = key.split('/').reverse()
  return isName(name) && (prefix === undefined || isSubdomain(prefix)) && more.length === 0
}

export const isLabelValue = (value: string): boolean => value === '' || isName(value)

const isName = (text: string): boolean => text.length <= 63 && /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(text)

/** Whether a name can be part of an API path. Users choose names, and the name `../secrets/x` would lead to another object. */
export const isPathSegment = (text: string): boolean => !['', '.', '..'].includes(text) && !text.includes('/')
