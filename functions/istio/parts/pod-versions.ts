// Holds the restarts until all Pods of the mesh run the version that was installed.
import { strayVersion } from '../rules/stray-version.ts'
import { part } from './part.ts'

export const podVersions = part({
  name: 'podVersions',
  holds: ({ pods }, { settings }) => strayVersion(pods, settings) !== undefined,
  inForce: ({ pods }, { settings }) => (strayVersion(pods, settings) === undefined ? { version: true } : {}),
  reports: ({ pods }, { world: { settings } }) => {
    const description = strayVersion(pods, settings)
    return description === undefined ? {} : { findings: [{ state: 'Error', description, answer: 'backoff' }] }
  },
})
