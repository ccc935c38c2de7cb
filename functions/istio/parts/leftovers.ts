// Removes mesh resources that no garbage collector deleted, because they have no owner and their namespace stays.
import { removalOf } from '../rules/resource-correction.ts'
import { part } from './part.ts'
import { refused } from './removal.ts'

export const leftovers = part({
  name: 'leftovers',
  steps: ({ resources }) => ('failed' in resources ? [] : resources.read.flatMap(removalOf)),
  holds: ({ resources }) => 'failed' in resources,
  reports: ({ resources }, { results }) => {
    const faults = [
      ...('failed' in resources ? [resources.failed] : []),
      ...results.flatMap(({ error }) => error?.message ?? []),
    ]
    return faults.length > 0 ? { findings: [refused(faults.join('; '))] } : {}
  },
})
