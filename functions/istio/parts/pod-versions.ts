// Whether all Pods of the mesh run the version that was installed: before that, nothing is restarted.
import { strayVersion } from '../rules/stray-version.ts'
import { part } from './part.ts'

export const podVersions = part({
  name: 'podVersions',
  steps: () => [],
  tells: ({ pods }, { world: { settings } }) => {
    const description = strayVersion(pods, settings)
    if (description === undefined) return { applied: { version: true } }
    return { findings: [{ state: 'Error', description, answer: 'backoff' }], stops: true }
  },
})
