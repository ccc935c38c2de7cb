// Writes Events for a controller, after the current turn. The name of an Event is derived from its content, so that a repeated Event is
// counted. Controllers do not wait for Events. A failed Event is not repeated, because Events are only for information.

import { sha256Hex } from '../../core/digest.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { StatusError } from '../status.ts'
import { nowMicroText, nowText } from '../time.ts'
import { type JsonMap, numberAt } from '../value.ts'
import { type Worker, type Writes, writesOf } from './controller-worker.ts'
import { EventFlow } from './event-flow.ts'
import type { EventContent } from './node-events.ts'

type Line = { readonly object: KubeObject; readonly content: EventContent; readonly name: string; count: number }

export class Recorder {
  readonly #cluster: Cluster
  readonly #worker: Worker
  readonly #writes: Writes
  readonly #flow = new EventFlow()
  readonly #waiting = new Map<string, Line>()

  constructor(cluster: Cluster, worker: Worker) {
    this.#cluster = cluster
    this.#worker = worker
    this.#writes = writesOf(cluster, worker)
  }

  record(object: KubeObject, content: EventContent): void {
    const passed = this.#flow.passed(object.metadata.uid ?? '', content)
    if (!passed) return
    const name = eventName(object, passed, this.#worker)
    const key = `${namespaceOf(object)}/${name}`
    const count = (this.#waiting.get(key)?.count ?? 0) + 1
    this.#waiting.set(key, { object, content: passed, name, count })
    this.#cluster.chores.add(`event ${key}`, () => this.#write(key))
  }

  async #write(key: string): Promise<void> {
    const line = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (!line) return
    const known = this.#cluster.store.get('events', key)?.object
    try {
      if (known) await this.#writes.update(known, now => repeated(now, line))
      else await this.#writes.create(eventOf(line, this.#worker))
    } catch (error) {
      // The Event was refused, for example because the namespace is being deleted, and is lost.
      if (!(error instanceof StatusError)) throw error
    }
  }
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace || 'default'

const eventName = ({ metadata }: KubeObject, content: EventContent, { component }: Worker): string => {
  const { type, reason, message, fieldPath = '', isCombined } = content
  const identity = JSON.stringify([metadata.uid, component, type, reason, fieldPath, isCombined ?? message])
  return `${metadata.name}.${sha256Hex(identity).slice(0, 16)}`
}

const repeated = (event: KubeObject, { content, count }: Line): JsonMap => {
  const total = numberAt(event, ['count'], 1) + count
  if (!content.action) return { ...event, message: content.message, count: total, lastTimestamp: nowText() }
  const series = numberAt(event, ['series', 'count'], 1) + count
  return { ...event, series: { count: series, lastObservedTime: nowMicroText() } }
}

const eventOf = ({ object, content, name, count }: Line, worker: Worker): JsonMap => {
  const { type, reason, message, fieldPath, action } = content
  const { apiVersion, kind, metadata } = object
  const { namespace, uid, resourceVersion } = metadata
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: namespaceOf(object) },
    involvedObject: { apiVersion, kind, namespace, name: metadata.name, uid, resourceVersion, fieldPath },
    type,
    reason,
    message,
    ...(action === undefined ? counted(worker, count) : acted(worker, action)),
    // A combined Event only contains its source.
    ...(content.isCombined && { reportingComponent: '', reportingInstance: '' }),
  }
}

const counted = ({ component, host }: Worker, count: number): JsonMap => ({
  source: { component, host },
  reportingComponent: component,
  reportingInstance: host ?? '',
  firstTimestamp: nowText(),
  lastTimestamp: nowText(),
  eventTime: null,
  count,
})

/** The newer form of an Event, with a time and an action, and with a series if the Event is repeated. */
const acted = ({ component }: Worker, action: string): JsonMap => ({
  action,
  source: {},
  reportingComponent: component,
  reportingInstance: `${component}-embedded`,
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: nowMicroText(),
})
