// What `npm start` puts into a cluster before anything runs: definitions of kinds, namespaces, and the service accounts
// that host and relay then run under, with no more rights than serverless.yml gives them.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Landscape } from '../api/serverless.ts'
import { type KubeObject, keyOf, keyText } from '../core/object.ts'
import { accounts, hostAccount } from '../deploy/access/accounts.ts'
import { namespaces } from '../deploy/manifests/layouts.ts'
import { webhookConfigurations } from '../deploy/manifests/webhook-configurations.ts'
import type { Client } from '../kube/client-types.ts'
import { manifestsFolder, objectsIn } from './manifest-files.ts'

/** In the order of their need: each list wants the one before it. */
export type InstallSteps = readonly (readonly KubeObject[])[]

/** `withWebhooks` where the API server can call this process. */
export const installation = (landscape: Landscape, { withWebhooks }: { withWebhooks: boolean }): InstallSteps => [
  [...definitions(), ...namespaces(landscape)],
  [...Object.values(accounts(landscape)).flat(), ...hostAccount(landscape)],
  withWebhooks ? webhookConfigurations(landscape) : [],
]

const definitions = (): KubeObject[] => {
  const folder = join(manifestsFolder, 'crds')
  const files = readdirSync(folder).filter(file => file.endsWith('.yaml'))
  return files.flatMap(file => objectsIn(join(folder, file)))
}

/** Objects that are there already keep what others wrote into them, such as the caBundle of a webhook. */
export const install = async (client: Client, wanted: InstallSteps): Promise<void> => {
  for (const objects of wanted)
    await Promise.all(objects.map(object => client.apply(object, { fieldManager: 'espalier-start' })))
}

/** A line per kind, with the names of its objects. */
export const installedNames = (wanted: InstallSteps): string[] =>
  [...Map.groupBy(wanted.flat(), ({ kind }) => kind)].map(
    ([kind, objects]) => `${kind} ${objects.map(object => keyText(keyOf(object))).join(', ')}`,
  )

/** How many of each kind, on one line. */
export const counted = (wanted: InstallSteps): string =>
  [...Map.groupBy(wanted.flat(), ({ kind }) => kind)].map(([kind, objects]) => `${objects.length} ${kind}`).join(', ')
