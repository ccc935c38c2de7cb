// All running watches of a cluster: so that a test can drop or bookmark them, a changed definition can end those of its
// kind, and a stopping cluster can end all.

type RunningWatch = { readonly collection: string; end(): void; bookmark(): void }

export class Watches {
  readonly #running = new Set<RunningWatch>()

  add(watch: RunningWatch): () => void {
    this.#running.add(watch)
    return () => this.#running.delete(watch)
  }

  get count(): number {
    return this.#running.size
  }

  drop(collection?: string): void {
    for (const watch of [...this.#running]) if (collection === undefined || watch.collection === collection) watch.end()
  }

  /** Sends a bookmark to everyone who wants them, now. */
  bookmark(): void {
    for (const watch of this.#running) watch.bookmark()
  }
}
