// Hints about the status of an object, for kinds whose controllers write the status late. Example: `P/status-hint: has-ready-condition`.

export type Hints = {
  /** A missing observedGeneration means that the controller has not seen the object yet. */
  readonly hasObservedGeneration?: boolean
  /** A missing condition Ready means that the object is not ready. */
  readonly hasReadyCondition?: boolean
  /** Further conditions that must be True. */
  readonly conditions: readonly string[]
}

const words: Readonly<Record<string, (value: string | undefined) => Partial<Hints> | undefined>> = {
  'has-observed-generation': value => (value === undefined ? { hasObservedGeneration: true } : undefined),
  'has-ready-condition': value => (value === undefined ? { hasReadyCondition: true } : undefined),
  conditions: value => {
    const conditions = (value ?? '').split(';').map(type => type.trim())
    return conditions.includes('') ? undefined : { conditions }
  },
}

export const readHints = (text: string): Hints | undefined => {
  const read = text.split(',').map(readHint)
  const conditions = read.flatMap(hint => hint?.conditions ?? [])
  return read.includes(undefined) ? undefined : Object.assign({}, ...read, { conditions })
}

const readHint = (text: string): Partial<Hints> | undefined => {
  const [word = '', ...value] = text.trim().split('=')
  return Object.hasOwn(words, word) ? words[word]?.(value.length > 0 ? value.join('=') : undefined) : undefined
}
