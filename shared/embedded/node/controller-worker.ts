// Writes of controllers, each under its own name. Like a client's write, with admission, defaults, checks and field ownership.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { authenticated, type User } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import { typedObject } from '../kinds/typed.ts'
import { fieldsAt, type JsonMap, sameJson } from '../value.ts'
import type { Call } from '../verbs/call.ts'
import { remove } from '../verbs/remove.ts'
import { binding } from '../verbs/subresources/subresources.ts'
import { change, create } from '../verbs/write.ts'

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
