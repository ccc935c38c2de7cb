// Reads a request path: a kind, an object, a subresource, or none of these.

export type ResourcePath = {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The deprecated /watch/ prefix. */
  readonly isWatch: boolean
}

/** undefined: not a path below a group and version. */
export const resourcePath = (path: string): ResourcePath | undefined => {
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  const isCore = parts[0] === 'api'
  if (!isCore && parts[0] !== 'apis') return undefined
  const [group = '', version = '', ...given] = isCore ? ['', ...parts.slice(1)] : parts.slice(1)
  const isWatch = given[0] === 'watch'
  const rest = isWatch ? given.slice(1) : given
  if (!version || rest.length === 0) return undefined
  return { group, version, isWatch, ...below(rest) }
}

const namespaceSubresources = ['status', 'finalize']

const below = (parts: string[]): Pick<ResourcePath, 'plural' | 'namespace' | 'name' | 'subresource'> => {
  const [first = '', second = '', third = ''] = parts.map(decoded)
  const isInNamespace = first === 'namespaces' && third !== '' && !namespaceSubresources.includes(third)
  const [plural = '', name = '', ...sub] = isInNamespace ? parts.slice(2).map(decoded) : parts.map(decoded)
  const namespace = isInNamespace ? second : ''
  return { plural, name, namespace, subresource: sub.join('/') }
}

/** A part that is no valid percent encoding stands for itself. */
const decoded = (part: string): string => {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
