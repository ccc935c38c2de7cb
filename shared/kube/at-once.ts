// Runs several tasks at once, but never more than `most`, because an API server has other callers too.

/** The results in the order of the tasks. When a task rejects, this rejects with its error, and no further task is begun. */
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
  const workers = Array.from({ length: Math.min(most, tasks.length) }, work)
  await Promise.all(workers).catch(error => {
    hasFailed = true
    throw error
  })
  return results
}
