// Limits by number: interim answers to one request, and names that users choose, such as labels of metrics.

const interimMost = 10

/** Returns a function to call for each interim answer. The function throws from the eleventh call on. */
export const interimAnswers = (excess: (message: string) => Error): (() => void) => {
  let count = 0
  return () => {
    if (++count > interimMost) throw excess(`more than ${interimMost} interim answers come before the answer`)
  }
}

/** Returns the first `most` names unchanged, and `other` for each further name. */
export const fewNames = (most = 100): ((name: string) => string) => {
  const known = new Set<string>()
  return name => {
    if (known.size < most) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
