// Completed indexes of an Indexed Job, as the API spells them: `0-2,5`. Pure.

export const indexesIn = (text: string): number[] =>
  text
    .split(',')
    .filter(part => part !== '')
    .flatMap(part => {
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
    })

/** The text with more indexes in it. */
export const rangesText = (text: string, more: readonly number[]): string => {
  const all = [...new Set([...indexesIn(text), ...more])]
    .filter(index => index >= 0)
    .sort((left, right) => left - right)
  const ranges: [first: number, last: number][] = []
  for (const index of all) {
    const open = ranges.at(-1)
    if (open && open[1] === index - 1) open[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** The lowest indexes that are neither done nor being worked on. */
export const nextIndexes = (done: string, active: readonly number[], count: number): number[] => {
  const taken = new Set([...indexesIn(done), ...active])
  const free: number[] = []
  for (let index = 0; free.length < count; index++) if (!taken.has(index)) free.push(index)
  return free
}
