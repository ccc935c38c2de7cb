// Watchers whose entry the API server of a runtime would refuse, and with it those of all other Watchers; or, without manager, whose entry
// would lead nowhere.
import type { Watcher } from '../../../shared/kyma/kinds.ts'
import { watcher } from './kyma.ts'

const wrong = (change: Parameters<typeof watcher>[0] = {}): Watcher =>
  watcher({ ...change, metadata: { name: 'wrong', ...change.metadata } })

export const wrongWatchers: Readonly<Record<string, Watcher>> = {
  'no manager': wrong({ metadata: { labels: { 'operator.kyma-project.io/managed-by': '' } } }),
  'a manager in upper case': wrong({ spec: { manager: 'My_Manager' } }),
  'a manager of dots': wrong({ spec: { manager: '..' } }),
  'a manager of several segments': wrong({ spec: { manager: 'a//b' } }),
  'a manager that is too long': wrong({ spec: { manager: 'x'.repeat(254) } }),
  'a name that is too long': wrong({ metadata: { name: 'x'.repeat(218) } }),
  'an empty version': wrong({ spec: { resourceToWatch: { version: '' } } }),
  'an empty resource': wrong({ spec: { resourceToWatch: { resource: '' } } }),
  'an invalid label': wrong({ spec: { labelsToWatch: { 'a b': 'x' } } }),
  'an invalid value of a label': wrong({ spec: { labelsToWatch: { app: 'a b' } } }),
}
