// Caches the last result of a pure function per object, because one call needs the same result many times. The result is garbage-collected
// with its object.

/** The same function with a cache: it returns the last result for the same object and circumstances (`===`). */
export const remembered = <About extends WeakKey, Circumstances extends readonly unknown[], Answer>(
  answer: (about: About, ...circumstances: Circumstances) => Answer,
): ((about: About, ...circumstances: Circumstances) => Answer) => {
  const last = new WeakMap<About, { readonly circumstances: Circumstances; readonly answer: Answer }>()
  return (about, ...circumstances) => {
    const known = last.get(about)
    if (known?.circumstances.every((one, index) => one === circumstances[index])) return known.answer
    const answered = answer(about, ...circumstances)
    last.set(about, { circumstances, answer: answered })
    return answered
  }
}

/** Like `remembered`, with a result for each name. */
export const rememberedByName = <About extends WeakKey, Name extends string, Answer>(
  answer: (about: About, name: Name) => Answer,
): ((about: About, name: Name) => Answer) => {
  const answersOf = remembered((_: About): Map<Name, Answer> => new Map())
  return (about, name) => {
    const answers = answersOf(about)
    const known = answers.get(name)
    if (known !== undefined || answers.has(name)) return known as Answer
    const answered = answer(about, name)
    answers.set(name, answered)
    return answered
  }
}

type Kept<Key, Value> = { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown }

/** The value of the key in a map or cache. A missing value is made and kept: `keptOrMade(agents, host, () => new Agent())`. */
export const keptOrMade = <Key, Value>(kept: Kept<Key, Value>, key: Key, make: () => Value): Value => {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  kept.set(key, made)
  return made
}
