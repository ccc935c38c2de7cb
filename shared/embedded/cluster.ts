// The parts of one embedded cluster that its verbs use. Clusters in one process share no mutable state. A cluster lists its running
// watches. Tests drop them or send bookmarks. A changed definition ends the watches of its kind; a stopping cluster ends all.
import type { Admission } from './admission/admission.ts'
import type { Authorization } from './authorization/rbac.ts'
import type { Chores } from './collect/chores.ts'
import type { Authentication } from './identity/authentication.ts'
import type { Tokens } from './identity/tokens.ts'
import type { Registry } from './kinds/registry.ts'
import type { Store } from './storage/store.ts'

export type Cluster = {
  readonly store: Store
  readonly registry: Registry
  readonly watches: Watches
  readonly chores: Chores
  readonly tokens: Tokens
  readonly authentication: Authentication
  readonly authorization: Authorization
  readonly admission: Admission
  address(): string
  url(): string
}

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

  bookmark(): void {
    for (const watch of this.#running) watch.bookmark()
  }
}
