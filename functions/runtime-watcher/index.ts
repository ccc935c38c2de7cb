// runtime-watcher: reports changes of watched objects of a runtime to the control plane. It runs in the runtime, in its own program
// (shared/agent). Hosts do not serve it.
import { watchedIn } from './decide.ts'
import { reviewWatched } from './review.ts'

export const runtimeWatcher = { name: 'runtime-watcher', watchedIn, review: reviewWatched } as const
