// Limits label values that users choose, because Prometheus keeps a series for each value forever.

/** Returns the first `most` names unchanged, and `other` for each further name. */
export const fewNames = (most = 100): ((name: string) => string) => {
  const known = new Set<string>()
  return name => {
    if (known.size < most) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
