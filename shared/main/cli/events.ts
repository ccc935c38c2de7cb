// `espalier events`: Events of an object and of all its parts, across clusters, newest last.
import { mapOrEmpty, shownText } from '../../core/json/json.ts'
import { lastSeen } from '../../core/objects/event-time.ts'
import type { ClusterName, KubeObject } from '../../core/objects/object.ts'
import { atOnce } from '../../kube/at-once.ts'
import { chainOf, type Link } from '../../runtime/why/chain.ts'
import { ageText } from '../../runtime/why/explanation.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type Command, shownAs } from './command.ts'
import { refGiven, refuseUnread } from './named-object.ts'
import { clusterReads, reads } from './reading-process.ts'

export const eventsCommand: Command = {
  name: 'events',
  usage: 'KIND NAME',
  sentence: 'Lists the Events of an object and of all its parts, across clusters, the newest last.',
  options: { warnings: { type: 'boolean', sentence: 'Only Events of type Warning' } },
  examples: ['espalier events component shop -n shop', 'espalier events kyma basic -n kcp-system --warnings'],
  run: given =>
    reads(given.options, async reading => {
      const ref = await refGiven(given, reading)
      const looking = { reads: clusterReads(reading), now: () => new Date(), everything: true }
      const chain = await chainOf(ref, looking)
      refuseUnread(ref, chain)
      const events = await eventsOf(chain, looking.reads)
      const shown = events.filter(({ type }) => given.options.warnings === undefined || type === 'Warning')
      return { text: shownAs(given.options.output, shown, () => textOf(shown, new Date())), code: 0 }
    }),
}

/** `at`: when the Event was last seen. */
type EventLine = {
  readonly at: string
  readonly type: string
  readonly reason: string
  readonly object: string
  readonly on?: ClusterName
  readonly message: string
  readonly count: number
}

/** The maximum number of concurrent lists. Events may be in namespaces of several clusters. */
const listsMost = 8

const eventsOf = async (chain: Link, reads: ReturnType<typeof clusterReads>): Promise<EventLine[]> => {
  const links = linksIn(chain)
  const places = Map.groupBy(links, ({ object, on = 'local' }) => JSON.stringify([on, namespaceIn(object)]))
  const lists = await atOnce(
    [...places].map(([place, there]) => async () => {
      const [on, namespace] = JSON.parse(place) as [ClusterName, string]
      const events = await (await reads(on)).list({ apiVersion: 'v1', kind: 'Event', namespace })
      const named = new Set(there.map(({ object }) => object))
      return events.map(event => lineOf(event, on)).filter(({ object }) => named.has(object))
    }),
    listsMost,
  )
  return lists.flat().sort((one, other) => one.at.localeCompare(other.at))
}

const linksIn = (link: Link): Link[] => [link, ...link.because.flatMap(linksIn)]

/** The namespace of an object's Events. For an object without a namespace, this is `default`. */
const namespaceIn = (object: string): string => /^\S+ ([^/]+)\//.exec(object)?.[1] ?? 'default'

const lineOf = (event: KubeObject, on: ClusterName): EventLine => {
  const { involvedObject, type, reason, message, count, series } = event
  const { kind, namespace, name } = mapOrEmpty(involvedObject)
  return {
    at: lastSeen(event),
    type: shownText(type),
    reason: shownText(reason),
    object: `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
    ...(on !== 'local' && { on }),
    message: shownText(message),
    count: Number(mapOrEmpty(series).count ?? count ?? 1),
  }
}

const textOf = (events: readonly EventLine[], now: Date): string =>
  events
    .map(({ at, type, reason, object, on, message, count }) => {
      const times = count > 1 ? ` (${count} times)` : ''
      const head = `${ageText(at, now).padEnd(7)} ${type === 'Warning' ? 'warning ' : ''}${reason} ${object}${on ? ` in ${on}` : ''}`
      return wrapped(`${head}: ${message}${times}`, 8, columns)
    })
    .join('\n') || 'nothing found'
