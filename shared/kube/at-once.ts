// Runs tasks concurrently, at most `most` at a time, because an API server also serves other callers.

/** Returns results in the order of the tasks. If a task rejects, `atOnce` rejects with the same error and starts no further task. */
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
