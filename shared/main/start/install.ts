// Installs the objects that must exist before host and relay run: CRDs, namespaces, policies, and service accounts with their rights in
// serverless.yml.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Landscape } from '../../api/serverless.ts'
import { type KubeObject, keyOf, keyText, refOf, refText } from '../../core/objects/object.ts'
import { espalierAnnotations } from '../../core/objects/steering.ts'
import { accounts, hostAccount } from '../../deploy/access/accounts.ts'
import { namespaces } from '../../deploy/manifests/layouts.ts'
import { policyFiles } from '../../deploy/manifests/manifests.ts'
import { webhookConfigurations } from '../../deploy/manifests/webhook-configurations.ts'
import type { Client } from '../../kube/client-types.ts'
import { manifestsFolder, objectsIn } from '../manifest-files.ts'
import { patiently } from './patience.ts'
import type { Terminal } from './terminal.ts'

/** Lists of objects in the order of application. Each list needs the list before it. */
export type InstallSteps = readonly (readonly KubeObject[])[]

type Installing = {
  /** Whether the API server can call this process. */
  readonly withWebhooks: boolean
  /** The definitions of kinds. Absent: the definitions of this project. */
  readonly definitions?: readonly KubeObject[]
}

export const installation = (landscape: Landscape, { withWebhooks, definitions }: Installing): InstallSteps => [
  [...(definitions ?? projectDefinitions()), ...namespaces(landscape).map(one => inProcess(one, landscape))],
  [
    ...Object.values(accounts(landscape)).flat(),
    ...hostAccount(landscape),
    ...policyFiles(landscape).flatMap(file => objectsIn(join(manifestsFolder, 'webhooks', file))),
  ],
  withWebhooks ? webhookConfigurations(landscape) : [],
]

/** Marks the namespace, so that `espalier check` knows that host and relay are not workloads. */
const inProcess = (namespace: KubeObject, { provider }: Landscape): KubeObject => {
  if (namespace.metadata.name !== provider.namespace) return namespace
  const annotations = { ...namespace.metadata.annotations, [espalierAnnotations.inProcess]: 'yes' }
  return { ...namespace, metadata: { ...namespace.metadata, annotations } }
}

const projectDefinitions = (): KubeObject[] => {
  const folder = join(manifestsFolder, 'crds')
  const files = readdirSync(folder).filter(file => file !== 'kustomization.yaml')
  return files.flatMap(file => objectsIn(join(folder, file)))
}

/** Fields of existing objects that other programs wrote stay, such as the caBundle of a webhook. */
export const install = async (
  client: Pick<Client, 'apply'>,
  wanted: InstallSteps,
  terminal: Pick<Terminal, 'line'> = { line: () => undefined },
): Promise<void> => {
  const apply = (object: KubeObject) =>
    patiently(refText(refOf(object)), () => client.apply(object, { fieldManager: 'espalier-start' }), terminal)
  for (const objects of wanted) await Promise.all(objects.map(apply))
}

/** One line per kind, with the names of its objects. */
export const installedNames = (wanted: InstallSteps): string[] =>
  [...Map.groupBy(wanted.flat(), ({ kind }) => kind)].map(
    ([kind, objects]) => `${kind} ${objects.map(object => keyText(keyOf(object))).join(', ')}`,
  )

/** One line with the number of objects of each kind. */
export const counted = (wanted: InstallSteps): string =>
  [...Map.groupBy(wanted.flat(), ({ kind }) => kind)].map(([kind, objects]) => `${objects.length} ${kind}`).join(', ')
