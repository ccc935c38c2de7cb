// Installs the objects that must exist before host and relay run: CRDs, namespaces, policies, and service accounts with their rights in
// serverless.yml. The first requests are repeated for a minute, so that a slow or invalid answer of an API server does not end the program.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import type { Landscape } from '../../api/serverless.ts'
import { type KubeObject, keyOf, keyText, refOf, refText } from '../../core/objects/object.ts'
import { espalierAnnotations } from '../../core/objects/steering.ts'
import { errorText } from '../../core/text/error-text.ts'
import { accounts, hostAccount } from '../../deploy/access.ts'
import { namespaces } from '../../deploy/manifests/layouts.ts'
import { policyFiles, webhookConfigurations } from '../../deploy/manifests/manifests.ts'
import type { Client } from '../../kube/client-types.ts'
import { AccessError, ApiError, isTrouble } from '../../kube/errors.ts'
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

export const manifestsFolder = join(import.meta.dirname, '..', '..', '..', 'manifests')

export const objectsIn = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1' }).map(document => document.toJS() as KubeObject)

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

const patienceMilliseconds = 60_000

const pauseMilliseconds = 1_000

/** Rejects with an error that remains after a minute, or that another attempt cannot change. */
export const patiently = async <T>(
  what: string,
  attempt: () => Promise<T>,
  { line }: Pick<Terminal, 'line'>,
): Promise<T> => {
  const until = performance.now() + patienceMilliseconds
  let said = ''
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (isFinal(error) || performance.now() > until) throw new Error(`${what}: ${errorText(error)}`, { cause: error })
      if (errorText(error) !== said) line('…', `${what}: ${errorText(error)}; retrying`)
      said = errorText(error)
      await wait(pauseMilliseconds)
    }
  }
}

/** Our own errors, such as an error about an incomplete answer, are not final, because the next answer may be complete. */
const isFinal = (error: unknown): boolean =>
  error instanceof AccessError || (error instanceof ApiError && !isTrouble(error))
