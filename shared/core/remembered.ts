// Answers of pure functions, kept by the object they are about: one look at an object raises the same question many times.
// An answer lives as long as its object; forgetting it costs time and nothing else.

/** The same function, which answers at once where object and circumstances (compared by `===`) are those of the last time. */
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
