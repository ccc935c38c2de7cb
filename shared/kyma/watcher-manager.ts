// The name under which a Watcher listens: a part of the paths of events.
import { kymaNames } from '../api/kyma/names.ts'
import type { Watcher } from './kinds.ts'

/** '' when nothing names one. */
export const watcherManager = ({ spec, metadata }: Watcher): string =>
  spec.manager || (metadata.labels?.[kymaNames.labels.managedBy] ?? '')
