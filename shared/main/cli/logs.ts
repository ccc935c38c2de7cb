// `espalier logs`: the log lines of hosts and relays about an object, from all their Pods, joined by the traces of calls.
import { type KubeObject, keyText, type ObjectRef, refText } from '../../core/objects/object.ts'
import { atOnce } from '../../kube/at-once.ts'
import type { Client } from '../../kube/client-types.ts'
import { reading } from '../../kube/reading.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type Command, UsageFault } from './command.ts'
import { type LogLine, linesAbout, logLinesIn, logText } from './log-lines.ts'
import { refGiven } from './named-object.ts'
import { type ReadingProcess, reads } from './reading-process.ts'

export const logsCommand: Command = {
  name: 'logs',
  usage: 'KIND NAME',
  sentence:
    'Shows what hosts and relays have logged about an object, with all lines of the same traces, the newest last.',
  options: {
    since: { type: 'string', value: 'MINUTES', sentence: 'Shows the lines of the last MINUTES minutes; default 60' },
  },
  examples: ['espalier logs component shop -n shop', 'espalier logs kyma basic -n kcp-system --since 10 -o json'],
  run: given =>
    reads(given.options, async reading => {
      const minutes = Number(given.options.since ?? 60)
      if (!(minutes > 0))
        throw new UsageFault(`--since is ${given.options.since}: expected a number of minutes, such as 60`)
      const ref = await refGiven(given, reading)
      const functions = functionsFor(ref.kind, reading)
      if (functions.length === 0)
        throw new UsageFault(`no function is called for a ${ref.kind}, so no log names ${refText(ref)}`)
      const logs = await programLogs(reading, Math.ceil(minutes * 60))
      const lines = linesAbout(logs.lines, { key: keyText(ref), functions })
      const text = [
        ...lines.map(line => logText(line, columns)),
        ...(lines.length === 0 ? [wrapped(noneText(ref, minutes), 2, columns)] : []),
        ...logs.faults.map(fault => wrapped(`warning  ${fault}`, 9, columns)),
      ].join('\n')
      return { data: lines, text, code: 0 }
    }),
}

/** By default, hosts log from the level info on. */
const noneText = (ref: ObjectRef, minutes: number): string =>
  `no line about ${refText(ref)} in ${minutes} minutes: a call that settles is logged only at level debug`

/** The functions that are called with keys of this kind. */
const functionsFor = (kind: string, { landscape }: ReadingProcess): string[] =>
  Object.entries(landscape.functions).flatMap(([name, { events }]) =>
    events.some(event => 'watch' in event && event.watch.kind === kind && event.watch.map === 'self') ? [name] : [],
  )

const logsMost = 4

const linesMost = 50_000

type ProgramLogs = { readonly lines: readonly LogLine[]; readonly faults: readonly string[] }

/** The logs of hosts and relays. `faults`: Pods whose log cannot be read, such as Pods that have not started. */
const programLogs = async ({ local, landscape }: ReadingProcess, sinceSeconds: number): Promise<ProgramLogs> => {
  const { namespace } = landscape.provider
  const labelSelector = 'app.kubernetes.io/name=espalier'
  const pods = await local.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector })
  if (pods.length === 0)
    throw new UsageFault(
      `there is no Pod of Espalier in namespace ${namespace}; the host of npm start writes .espalier/logs`,
    )
  const asked = pods.map(pod => async (): Promise<ProgramLogs> => {
    const { name } = pod.metadata
    const log = await podLog(local, pod, { tailLines: linesMost, sinceSeconds })
    return 'read' in log
      ? { lines: logLinesIn(log.read, name), faults: [] }
      : { lines: [], faults: [`the log of Pod ${namespace}/${name} cannot be read: ${log.failed}`] }
  })
  const logs = await atOnce(asked, logsMost)
  const faults = logs.flatMap(({ faults }) => faults)
  if (faults.length === pods.length) throw new UsageFault(faults.join('; '))
  return { lines: logs.flatMap(({ lines }) => lines), faults }
}

export const podLog = (
  local: Client,
  { metadata: { name, namespace } }: KubeObject,
  query: Readonly<Record<string, number>>,
) => {
  const parameters = Object.entries(query).map(([field, value]) => `${field}=${value}`)
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?${parameters.join('&')}`
  return reading(local.raw({ method: 'GET', path, accept: 'text/plain' }).then(String))
}
