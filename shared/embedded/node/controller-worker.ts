// Writes of controllers, each under its own name. Like a client's write, with admission, defaults, checks and field ownership. Events are
// written later. A failed Event is not repeated, because Events are only for information.
import { sha256Hex } from '../../core/digest.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { authenticated, type User } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import { typedObject } from '../kinds/typed.ts'
import { StatusError } from '../status.ts'
import { nowMicroText, nowText } from '../time.ts'
import { fieldsAt, type JsonMap, numberAt, sameJson } from '../value.ts'
import type { Call } from '../verbs/call.ts'
import { remove } from '../verbs/remove.ts'
import { binding } from '../verbs/subresources.ts'
import { change, create } from '../verbs/write.ts'
import { type EventContent, EventFlow } from './node-events.ts'

export type Writes = {
  create(object: JsonMap): Promise<KubeObject>
  /** Changes the current state of the object. An object that was deleted and created again stays unchanged. */
  update(object: KubeObject, next: (now: KubeObject) => JsonMap): Promise<void>
  removeFinalizer(object: KubeObject, finalizer: string): Promise<void>
  report(object: KubeObject, status: JsonMap, annotations?: Readonly<Record<string, string>>): Promise<void>
  bind(pod: KubeObject, node: string): Promise<void>
  remove(object: KubeObject, graceSeconds?: number): Promise<void>
}

export type Worker = {
  readonly manager: string
  readonly user: User
  readonly component: string
  readonly host?: string
}

/** A controller of the controller manager: its user, field manager and, unless `component` is given, source of Events. */
export const controllerWorker = (name: string, component = name): Worker => ({
  manager: 'kube-controller-manager',
  component,
  user: authenticated({ name: `system:serviceaccount:kube-system:${name}`, groups: ['system:serviceaccounts'] }),
})

export const writesOf = (cluster: Cluster, worker: Worker): Writes => {
  const callFor = (object: JsonMap, subresource = '', body = ''): Call => {
    const { namespace = '', name = '' } = fieldsAt(object, 'metadata') ?? {}
    return {
      cluster,
      user: worker.user,
      kind: kindOf(cluster, object),
      namespace: String(namespace),
      name: String(name),
      subresource,
      query: new URLSearchParams(),
      contentType: 'application/json',
      body,
      userAgent: worker.manager,
      warnings: new Set(),
    }
  }
  const options = { isDryRun: false, fieldManager: worker.manager, fieldValidation: 'Ignore', isForced: false } as const
  const changeTo = async (object: KubeObject, subresource: string, next: (now: KubeObject) => JsonMap) => {
    const call = callFor(object, subresource)
    const produce = (before: KubeObject | undefined) => {
      const isSame = before !== undefined && before.metadata.uid === object.metadata.uid
      return { object: isSame ? typedObject(call.kind, next(before), []) : (before ?? object), isOwned: false }
    }
    await change(call, options, { produce, createsIfAbsent: false })
  }
  return {
    create: async object => {
      const call = callFor(object)
      const wanted = { object: typedObject(call.kind, asJson(object), []), isOwned: false }
      const reply = await create({ ...call, name: '' }, wanted, options)
      return reply.is === 'stored' ? reply.stored.object : wanted.object
    },
    update: (object, next) => changeTo(object, '', now => asJson(next(now))),
    removeFinalizer: async (object, finalizer) => {
      if (!object.metadata.finalizers?.includes(finalizer)) return
      await changeTo(object, '', ({ metadata, ...content }) => {
        const finalizers = metadata.finalizers?.filter(each => each !== finalizer)
        return { ...content, metadata: { ...metadata, finalizers } }
      })
    },
    report: async (object, wanted, annotations = {}) => {
      const status = asJson(wanted)
      if (isReported(object, status, annotations)) return
      await changeTo(object, 'status', now => ({ ...annotated(now, annotations), status }))
    },
    bind: async (pod, node) => {
      await binding(callFor(pod, 'binding', JSON.stringify({ target: { kind: 'Node', name: node } })))
    },
    remove: async (object, gracePeriodSeconds) => {
      const preconditions = { uid: object.metadata.uid }
      const body = JSON.stringify({ preconditions, propagationPolicy: 'Background', gracePeriodSeconds })
      await remove(callFor(object, '', body))
    },
  }
}

export const annotated = (object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
})

const isReported = (object: KubeObject, status: JsonMap, annotations: Readonly<Record<string, string>>): boolean =>
  Object.entries(annotations).every(([key, value]) => object.metadata.annotations?.[key] === value) &&
  sameJson(status, object.status)

/** Drops undefined fields, as the store does. */
const asJson = (object: JsonMap): JsonMap => JSON.parse(JSON.stringify(object)) as JsonMap

const kindOf = ({ registry }: Cluster, { apiVersion, kind }: JsonMap): Kind => {
  const found = registry.named(String(apiVersion), String(kind))
  if (!found) throw new Error(`no kind ${apiVersion}/${kind}`)
  return found
}

type Line = { readonly object: KubeObject; readonly content: EventContent; readonly name: string; count: number }

export type RecordEvent = (object: KubeObject, content: EventContent) => void

/** The name of an Event is derived from its content, so that a repeated Event is counted. */
export const recorder = ({ store, chores }: Cluster, worker: Worker, writes: Writes): RecordEvent => {
  const flow = new EventFlow()
  const waiting = new Map<string, Line>()
  const write = async (key: string) => {
    const line = waiting.get(key)
    waiting.delete(key)
    if (!line) return
    const known = store.get('events', key)?.object
    try {
      if (known) await writes.update(known, now => repeated(now, line))
      else await writes.create(eventOf(line, worker))
    } catch (error) {
      // The Event was refused, for example because the namespace is being deleted, and is lost.
      if (!(error instanceof StatusError)) throw error
    }
  }
  return (object, given) => {
    const content = flow.passed(object.metadata.uid ?? '', given)
    if (!content) return
    const name = eventName(object, content, worker)
    const key = `${namespaceOf(object)}/${name}`
    waiting.set(key, { object, content, name, count: (waiting.get(key)?.count ?? 0) + 1 })
    chores.add(`event ${key}`, () => write(key))
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
