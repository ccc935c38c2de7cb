// Keeps the last answer of a pure function for each object, because one call asks the same about an object many times. An answer lives
// as long as its object.

/** The same function; it returns the last answer when object and circumstances are the same (`===`). */
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

/** The same of a function that is asked about many names of each object: it returns the answer that it gave to the name before. */
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
