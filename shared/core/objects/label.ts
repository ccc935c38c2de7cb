// Checks keys and values of labels as Kubernetes does.
//
//   isLabelKey('app.kubernetes.io/name') // true
// isLabelValue('a,b=c') // false: a selector would read the text as two requirements
import { isSubdomain } from './dns-name.ts'

/** A name, optionally after a DNS subdomain and a slash. */
export const isLabelKey = (key: string): boolean => {
  const [name = '', prefix, ...more] = key.split('/').reverse()
  return isName(name) && (prefix === undefined || isSubdomain(prefix)) && more.length === 0
}

export const isLabelValue = (value: string): boolean => value === '' || isName(value)

const isName = (text: string): boolean => text.length <= 63 && /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(text)
