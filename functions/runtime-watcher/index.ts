// runtime-watcher: tells the control plane which watched objects of a runtime change. It runs in the runtime, in a program of its own
// (shared/agent); hosts do not serve it.
import { watchedIn } from './decide.ts'
import { reviewWatched } from './review.ts'

export const runtimeWatcher = { name: 'runtime-watcher', watchedIn, review: reviewWatched } as const
