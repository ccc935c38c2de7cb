// GET, PUT and PATCH of the scale subresource, for built-in workloads and for custom kinds that declare its paths.
import { mergePatched } from '../../core/json/merge-patch.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { DecodeError, decodeAs } from '../kinds/decode.ts'
import type { Kind } from '../kinds/kind.ts'
import { jsonPatched } from '../patches.ts'
import {
  badRequest,
  internal,
  invalid,
  invalidValue,
  methodNotAllowed,
  modified,
  notFound,
  unsupportedMediaType,
} from '../status.ts'
import { at, fieldsAt, type JsonMap, mapOrEmpty, textAt, withAt } from '../value.ts'
import { parseJson } from './body.ts'
import { type Call, existing, type Reply, writeOptions } from './call.ts'
import { change, changeOf } from './write.ts'

type Paths = { spec: string[]; status: string[]; selector: string[] | undefined }

const builtinPaths: Paths = { spec: ['spec', 'replicas'], status: ['status', 'replicas'], selector: undefined }

const split = (path: string): string[] => path.split('.').filter(part => part !== '')

const pathsOf = (kind: Kind): Paths => {
  const { scale } = kind.custom ?? {}
  if (!scale) return builtinPaths
  return {
    spec: split(scale.specReplicasPath),
    status: split(scale.statusReplicasPath),
    selector: scale.labelSelectorPath ? split(scale.labelSelectorPath) : undefined,
  }
}

export const scale = (call: Call, method: string): Promise<Reply> | Reply => {
  const current = existing(call)
  if (method === 'GET') return reply(call, current.shown(call.kind))
  if (method === 'PUT')
    return rescaled(call, () => decodeAs(scaleType, mapOrEmpty(parseJson(call.body, call.kind)), []))
  if (method === 'PATCH') return rescaled(call, before => patchedScale(call, before))
  throw methodNotAllowed()
}

const reply = (call: Call, object: KubeObject): Reply => ({ is: 'object', code: 200, object: scaleOf(call, object) })

const scaleOf = ({ kind }: Call, object: KubeObject): JsonMap => {
  const paths = pathsOf(kind)
  const replicas = at(object, ...paths.spec)
  if (kind.custom && typeof replicas !== 'number')
    throw internal(`the spec replicas field ${JSON.stringify(`.${paths.spec.join('.')}`)} does not exist`)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = paths.selector ? textAt(object, ...paths.selector) : selectorText(object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: { replicas: Number(at(object, ...paths.status) ?? 0), ...(selector && { selector }) },
  }
}

const selectorText = (object: KubeObject): string => {
  const selector = fieldsAt(object, 'spec', 'selector')
  const labels = fieldsAt(selector, 'matchLabels') ?? (object.kind === 'ReplicationController' ? selector : undefined)
  return Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',')
}

const scaleType = 'io.k8s.api.autoscaling.v1.Scale'

const patchedScale = (call: Call, before: KubeObject): JsonMap => {
  const scaled = scaleOf(call, withReplicas(call, before))
  const body = parseJson(call.body, call.kind)
  if (call.contentType === 'application/json-patch+json') return decodeAs(scaleType, jsonPatched(scaled, body), [])
  if (!/^application\/(strategic-merge-patch|merge-patch|apply-patch)\+/.test(call.contentType))
    throw unsupportedMediaType([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ])
  return decodeAs(scaleType, mergePatched(scaled, body), [])
}

/** Sets the replicas, even if the scale of the object cannot be read. */
const withReplicas = ({ kind }: Call, object: KubeObject): KubeObject => {
  const path = pathsOf(kind).spec
  return at(object, ...path) === undefined ? (withAt(object, path, 0) as KubeObject) : object
}

/** Reads a scale. If a patched scale cannot be read, the error message contains the patch. */
const readable = (read: () => JsonMap, before: KubeObject): JsonMap => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(before), error.message)])
  }
}

const rescaled = async (call: Call, wanted: (before: KubeObject) => JsonMap): Promise<Reply> => {
  const options = writeOptions(
    call,
    call.contentType.includes('patch') ? 'PatchOptions' : 'UpdateOptions',
    call.contentType.includes('apply-patch'),
  )
  const paths = pathsOf(call.kind)
  const main = { ...call, subresource: '' }
  const done = await change(main, options, {
    createsIfAbsent: false,
    tracking: { ...changeOf(main, options), subresource: 'scale', time: '' },
    produce: before => {
      if (!before) throw notFound(call.kind, call.name)
      const scaled = readable(() => wanted(before), before)
      const replicas = Number(fieldsAt(scaled, 'spec')?.replicas ?? 0)
      refuseMismatch(call, scaled, before, replicas)
      return { object: withAt(before, paths.spec, replicas) as KubeObject, isOwned: false }
    },
  })
  return done.is === 'stored'
    ? reply(call, done.stored.shown(call.kind))
    : done.is === 'object'
      ? reply(call, done.object as KubeObject)
      : done
}

const refuseMismatch = (call: Call, scaled: JsonMap, before: KubeObject, replicas: number): void => {
  const name = textAt(scaled, 'metadata', 'name')
  const version = textAt(scaled, 'metadata', 'resourceVersion')
  if (name && name !== call.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`)
  if (version && version !== before.metadata.resourceVersion) throw modified(call.kind, call.name)
  if (replicas < 0 && !call.kind.custom)
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, call.name, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
}
