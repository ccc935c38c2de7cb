// Names that others choose, as labels of metrics: each would be a series for ever.

/** The first hundred names as they are; each further one is `other`. */
export const fewNames = (most = 100): ((name: string) => string) => {
  const known = new Set<string>()
  return name => {
    if (known.size < most) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
