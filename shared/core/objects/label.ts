// The keys and values that Kubernetes accepts for labels.
//
//   isLabelKey('app.kubernetes.io/name') // true
//   isLabelValue('a,b=c') // false: in a selector it would say more than a value
import { isSubdomain } from './dns-name.ts'

/** A name, maybe behind a DNS subdomain and a slash. */
export const isLabelKey = (key: string): boolean => {
  const [name = '', prefix, ...more] = key.split('/').reverse()
  return isName(name) && (prefix === undefined || isSubdomain(prefix)) && more.length === 0
}

/** A name, or nothing. */
export const isLabelValue = (value: string): boolean => value === '' || isName(value)

const isName = (text: string): boolean => text.length <= 63 && /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(text)
