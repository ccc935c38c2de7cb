// `espalier get`, `why`, `tree` and `events`: states of objects, why an object is not ready, its parts across clusters, and their Events.
import { ourKinds } from '../../api/our-kinds.ts'
import { mapOrEmpty, shownText } from '../../core/json/json.ts'
import { lastSeen } from '../../core/objects/event-time.ts'
import { type ClusterName, type KubeObject, refText } from '../../core/objects/object.ts'
import { atOnce } from '../../kube/at-once.ts'
import { chainOf, type Link } from '../../runtime/why/chain.ts'
import { ageText, byTrouble, isInTrouble, type ObjectState, stateOf } from '../../runtime/why/explanation.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { chainText } from './chain-text.ts'
import { type Command, type CommandResult, type Given, UsageFault } from './command.ts'
import { kindCalled, objectsOfKinds } from './kinds.ts'
import { refGiven, refuseUnread } from './named-object.ts'
import { clusterReads, type ReadingProcess, reads } from './reading-process.ts'

export const getCommand: Command = {
  name: 'get',
  usage: '[KIND]',
  sentence: 'Lists Components, Gardens, Istios, Kymas, Manifests and Watchers with their state, failed objects first.',
  options: { 'not-ready': { type: 'boolean', sentence: 'Only objects that are not ready' } },
  examples: ['espalier get --not-ready', 'espalier get components -n shop'],
  run: async given => {
    const states = (await statesOf(given)).filter(
      ({ is }) => given.options['not-ready'] === undefined || is !== 'ready',
    )
    const code = states.some(isInTrouble) ? 1 : 0
    return { data: states, text: table(states, new Date()), code }
  },
}

type State = Pick<ObjectState, 'is' | 'since' | 'says'> & { readonly object: string }

const statesOf = ({ options, words }: Given): Promise<State[]> => {
  const [word, ...others] = words
  if (others.length > 0)
    throw new UsageFault(
      `expected one KIND at most, found ${words.join(' ')}; for one object, use espalier why KIND NAME`,
    )
  const only = word === undefined ? undefined : kindCalled(word, [...ourKinds])
  return reads(options, async reading => {
    // Rejects if the cluster does not serve the requested kind.
    if (only) await reading.namespaceOf(only)
    const objects = await objectsOfKinds(reading.local, only ? [only] : ourKinds, options.namespace)
    return objects
      .map(object => stateOf(object, new Date()))
      .sort(byTrouble)
      .map(({ ref, waitsFor: _, ...state }) => ({ object: refText(ref), ...state }))
  })
}

const table = (states: readonly State[], now: Date): string => {
  if (states.length === 0) return 'nothing found'
  return states
    .flatMap(({ object, is, since, says: [sentence] }) => [
      `${is.padEnd(10)}${(since ? ageText(since, now) : '').padEnd(9)}${object}`,
      ...(is === 'ready' || !sentence ? [] : [wrapped(`${' '.repeat(19)}${sentence}`, 19, columns)]),
    ])
    .join('\n')
}

export const whyCommand: Command = {
  name: 'why',
  usage: 'KIND NAME',
  sentence: 'Explains why an object is not ready: follows what it waits for, down to the cause.',
  options: {},
  examples: ['espalier why component shop -n shop', 'espalier why kyma basic -n kcp-system -o json'],
  run: given => explain(given, { everything: false }),
}

export const treeCommand: Command = {
  name: 'tree',
  usage: 'KIND NAME',
  sentence: 'Shows the parts of an object with their states, across clusters.',
  options: {},
  examples: ['espalier tree component shop -n shop', 'espalier tree garden garden'],
  run: given => explain(given, { everything: true }),
}

const explain = (given: Given, { everything }: { everything: boolean }): Promise<CommandResult> =>
  reads(given.options, async reading => {
    const chain = await chainGiven(given, reading, { everything })
    return { data: chain, text: chainText(chain, new Date()), code: isInTrouble(chain) ? 1 : 0 }
  })

const chainGiven = async (
  given: Given,
  reading: ReadingProcess,
  { everything }: { everything: boolean },
): Promise<Link> => {
  const ref = await refGiven(given, reading)
  const chain = await chainOf(ref, { reads: clusterReads(reading), now: () => new Date(), everything })
  refuseUnread(ref, chain)
  return chain
}

export const eventsCommand: Command = {
  name: 'events',
  usage: 'KIND NAME',
  sentence: 'Lists the Events of an object and of all its parts, across clusters, the newest last.',
  options: { warnings: { type: 'boolean', sentence: 'Only Events of type Warning' } },
  examples: ['espalier events component shop -n shop', 'espalier events kyma basic -n kcp-system --warnings'],
  run: given =>
    reads(given.options, async reading => {
      const chain = await chainGiven(given, reading, { everything: true })
      const events = await eventsOf(chain, clusterReads(reading))
      const shown = events.filter(({ type }) => given.options.warnings === undefined || type === 'Warning')
      return { data: shown, text: textOf(shown, new Date()), code: 0 }
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
