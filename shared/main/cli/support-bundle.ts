// `espalier support-bundle`: a folder with data for support: our objects, Events, workloads, Leases, findings of check, logs. It contains no value
// of a Secret (redaction.ts).
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ourKinds } from '../../api/our-kinds.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { yamlOf } from '../../core/yaml/write.ts'
import type { ListQuery, Reads } from '../../kube/client-types.ts'
import { listIfServed, reading } from '../../kube/reading.ts'
import { findingsIn } from './check.ts'
import { type Command, UsageFault } from './command.ts'
import { objectsOfKinds } from './kinds.ts'
import { podLog } from './logs.ts'
import { type ReadingProcess, reads } from './reading-process.ts'
import { redaction } from './redaction.ts'

export const supportBundleCommand: Command = {
  name: 'support-bundle',
  usage: '',
  sentence: 'Writes a folder for whoever helps you: objects, Events, workloads, findings, logs. Secrets are redacted.',
  options: {
    into: { type: 'string', value: 'FOLDER', sentence: 'The folder to create; default espalier-support' },
  },
  examples: ['espalier support-bundle', 'espalier support-bundle --into /tmp/bundle --context production'],
  run: ({ options }) =>
    reads(options, async process => {
      const { into = 'espalier-support' } = options
      const files = await filesOf(process)
      try {
        mkdirSync(into)
      } catch {
        throw new UsageFault(`--into ${into}: the folder exists or cannot be created; name a new folder`)
      }
      for (const [name, text] of files) writeFileSync(join(into, name), text)
      const names = files.map(([name]) => join(into, name))
      return { data: names, text: `${names.join('\n')}\nRead these files before you pass them on.`, code: 0 }
    }),
}

const linesMost = 2_000

/** Throws if Secrets cannot be read, because their values would stay in the bundle. */
const secretsOf = async (local: Reads, namespaces: readonly string[]): Promise<KubeObject[]> => {
  const lists = await Promise.all(
    namespaces.map(async namespace => {
      const found = await reading(local.list({ apiVersion: 'v1', kind: 'Secret', namespace }))
      if ('read' in found) return found.read
      throw new UsageFault(
        `Secrets of namespace ${namespace} cannot be read, so their values cannot be redacted: ${found.failed}; nothing was written; use a kubeconfig whose user may list Secrets`,
      )
    }),
  )
  return lists.flat()
}

const filesOf = async (process: ReadingProcess): Promise<readonly (readonly [name: string, text: string])[]> => {
  const { local, landscape } = process
  const { namespace } = landscape.provider
  const objects = await objectsOfKinds(local, ourKinds)
  const places = [...new Set([namespace, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])])]
  const all = async (query: ListQuery): Promise<KubeObject[]> => {
    const found = await reading(listIfServed(local, query))
    return 'read' in found ? [...(found.read ?? [])] : []
  }
  const everywhere = (kind: Omit<ListQuery, 'namespace'>) =>
    Promise.all(places.map(place => all({ ...(kind as ListQuery), namespace: place }))).then(lists => lists.flat())
  const [secrets, events, deployments, pods, leases] = await Promise.all([
    secretsOf(local, places),
    everywhere({ apiVersion: 'v1', kind: 'Event' }),
    all({ apiVersion: 'apps/v1', kind: 'Deployment', namespace }),
    all({ apiVersion: 'v1', kind: 'Pod', namespace }),
    all({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace }),
  ])
  const { redactedObject, redactedText } = redaction(secrets)
  const yaml = (list: readonly KubeObject[]): string =>
    redactedText(list.map(one => `---\n${yamlOf(redactedObject(one))}`).join(''))
  const logs = pods.map(async pod => {
    const log = await podLog(local, pod, { tailLines: linesMost })
    const text = 'read' in log ? log.read : `cannot be read: ${log.failed}`
    return [`${pod.metadata.name}.log`, redactedText(text)] as const
  })
  return [
    ['objects.yaml', yaml(objects)],
    ['secrets.yaml', yaml(secrets)],
    ['events.yaml', yaml(events)],
    ['workloads.yaml', yaml([...deployments, ...pods])],
    ['leases.yaml', yaml(leases)],
    ['check.yaml', redactedText(yamlOf(await findingsIn(process)))],
    ...(await Promise.all(logs)),
  ]
}
