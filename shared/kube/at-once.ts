// Several things at once, but not all of them: an API server is asked by many.

/** The results in the order of the tasks; rejects with the first that does, after which no further one is begun. */
export const atOnce = async <T>(tasks: readonly (() => Promise<T>)[], most: number): Promise<T[]> => {
  const results: T[] = []
  const waiting = tasks.entries()
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (const [index, task] of waiting) {
      if (hasFailed) return
      results[index] = await task()
    }
  }
  const hands = Array.from({ length: Math.min(most, tasks.length) }, work)
  await Promise.all(hands).catch(error => {
    hasFailed = true
    throw error
  })
  return results
}
