// Kyma's kinds as the API server gives them, as several functions look at them.
import type { WatcherFields } from '../api/kyma.ts'
import type { KubeObject } from './object.ts'

export type Watcher = KubeObject & WatcherFields
