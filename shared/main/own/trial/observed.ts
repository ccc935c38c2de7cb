// Reads the objects of a function's kind and of all kinds that it may write, and removes the objects of a story.
import { namesResource } from '../../../api/access-rule.ts'
import type { AccessRule } from '../../../api/serverless.ts'
import { type GroupVersionKind, isDeleting, type KubeObject, refOf } from '../../../core/objects/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { isNotFound, KindNotServed } from '../../../kube/errors.ts'
import { type ServedKind, servedKinds } from '../../../kube/served-kinds.ts'
import { eventually } from '../eventually.ts'

export type Observing = {
  readonly admin: Client
  readonly access: readonly AccessRule[]
  /** The function's own kind. */
  readonly kind: GroupVersionKind
  /** The namespace of the operator. Objects in this namespace belong to its processes. */
  readonly home: string
}

/** The objects once they no longer change, because garbage collector and stand-in node work later than the function. */
export const observed = async (observing: Observing): Promise<readonly KubeObject[]> => {
  const kinds = await observedKinds(observing)
  let objects: readonly KubeObject[] = []
  let seen = ''
  let quietLooks = 0
  await eventually('the objects do not change any more', async () => {
    objects = await allOf(kinds, observing)
    const state = objects.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join()
    quietLooks = state === seen && !objects.some(isDeleting) ? quietLooks + 1 : 0
    seen = state
    return quietLooks >= quietLooksEnough
  })
  return objects
}

const quietLooksEnough = 3

/**
 * Removes objects together with their finalizers. Objects in `made` are removed whatever their kind, because the story may have created objects that
 * the function only reads.
 */
export const removeAllBut = async (
  kept: readonly KubeObject[],
  made: readonly KubeObject[],
  observing: Observing,
): Promise<void> => {
  const uids = new Set(kept.map(({ metadata }) => metadata.uid))
  const kinds = await observedKinds(observing)
  await eventually('everything that was made is removed', async () => {
    const written = (await allOf(kinds, observing)).filter(({ metadata }) => !uids.has(metadata.uid))
    const others = await Promise.all(made.map(object => ifServed(observing.admin.get(refOf(object)), undefined)))
    const left = [...written, ...others.filter(object => object !== undefined)]
    await Promise.all(left.map(object => remove(observing.admin, object)))
    return left.length === 0
  })
}

/** Returns `otherwise` if the kind is not served, because definitions that the function created are removed, too. */
const ifServed = <Answer>(asked: Promise<Answer>, otherwise: Answer): Promise<Answer> =>
  asked.catch(error => {
    if (error instanceof KindNotServed) return otherwise
    throw error
  })

const remove = async (admin: Client, object: KubeObject): Promise<void> => {
  try {
    const body = { metadata: { finalizers: null } }
    if (object.metadata.finalizers) await admin.patch(refOf(object), { type: 'merge', body }, { fieldManager: 'test' })
    await admin.delete(refOf(object), {})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const allOf = async (kinds: readonly ServedKind[], { admin, home }: Observing): Promise<readonly KubeObject[]> => {
  const lists = await Promise.all(kinds.map(({ apiVersion, kind }) => ifServed(admin.list({ apiVersion, kind }), [])))
  return lists.flat().filter(({ metadata }) => metadata.namespace !== home)
}

/** Each kind in its preferred version. Events do not count, because they are only for users. */
const observedKinds = async ({ admin, access, kind: own }: Observing): Promise<readonly ServedKind[]> => {
  const isObserved = (one: ServedKind): boolean =>
    (one.kind === own.kind && one.apiVersion === own.apiVersion) || access.some(rule => mayWrite(rule, one))
  const served = await servedKinds(admin)
  const kinds = served.filter(one => one.isListable && one.plural !== 'events' && isObserved(one))
  return kinds.filter(
    (one, at) => kinds.findIndex(({ group, kind }) => group === one.group && kind === one.kind) === at,
  )
}

const mayWrite = (rule: AccessRule, { group, plural }: ServedKind): boolean =>
  namesResource(rule, { group, resource: plural }) && rule.verbs.some(verb => !['get', 'list', 'watch'].includes(verb))
