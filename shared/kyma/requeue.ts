// When an object of Kyma is called again though nothing happens, from its state and how long it has said the same.
import type { RequeueSeconds } from '../api/installation.ts'
import type { ModuleState } from './kinds.ts'

/** `since`: when its operation changed last; absent: now. */
type Standing = { readonly state: ModuleState; readonly since: string | undefined; readonly now: Date }

/** After a minute in one state only a net is needed under the watches. */
const freshSeconds = 60
const netSeconds = 30
const errorSecondsLeast = 5

export const requeueSeconds = ({ state, since, now }: Standing, settings: RequeueSeconds): number => {
  const age = since === undefined ? 0 : Math.max(0, (now.getTime() - Date.parse(since)) / 1000)
  switch (state) {
    case 'Error':
      return Math.min(Math.max(age, errorSecondsLeast), settings.error)
    case 'Warning':
      return settings.warning
    case 'Processing':
    case 'Deleting':
      return age < freshSeconds ? settings.busy : Math.max(settings.busy, netSeconds)
    default:
      return settings.ready
  }
}
