// The objects of all kinds that a function may write, and a way to remove what a story has made.
import type { AccessRule } from '../../../api/serverless.ts'
import type { GroupVersionKind, KubeObject } from '../../../core/objects/object.ts'
import { isDeleting, refOf } from '../../../core/objects/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { isNotFound } from '../../../kube/errors.ts'
import { eventually } from '../eventually.ts'

export type Observing = {
  readonly admin: Client
  readonly access: readonly AccessRule[]
  /** The namespace of the operator: what is in there belongs to its processes. */
  readonly home: string
}

/** Once they are at rest: garbage collector and stand-in node come later than the function. */
export const observed = async (observing: Observing): Promise<readonly KubeObject[]> => {
  const kinds = await observedKinds(observing)
  let objects: readonly KubeObject[] = []
  let seen = ''
  let quietLooks = 0
  await eventually('the objects are at rest', async () => {
    objects = await allOf(kinds, observing)
    const state = objects.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join()
    quietLooks = state === seen && !objects.some(isDeleting) ? quietLooks + 1 : 0
    seen = state
    return quietLooks >= quietLooksEnough
  })
  return objects
}

const quietLooksEnough = 3

/** Whatever holds them. */
export const removeAllBut = async (kept: readonly KubeObject[], observing: Observing): Promise<void> => {
  const uids = new Set(kept.map(({ metadata }) => metadata.uid))
  const kinds = await observedKinds(observing)
  await eventually('everything that was made is removed', async () => {
    const made = (await allOf(kinds, observing)).filter(({ metadata }) => !uids.has(metadata.uid))
    await Promise.all(made.map(object => remove(observing.admin, object)))
    return made.length === 0
  })
}

const remove = async (admin: Client, object: KubeObject): Promise<void> => {
  try {
    const body = { metadata: { finalizers: null } }
    if (object.metadata.finalizers) await admin.patch(refOf(object), { type: 'merge', body }, { fieldManager: 'test' })
    await admin.delete(refOf(object), {})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const allOf = async (
  kinds: readonly GroupVersionKind[],
  { admin, home }: Observing,
): Promise<readonly KubeObject[]> => {
  const lists = await Promise.all(kinds.map(kind => admin.list(kind)))
  return lists.flat().filter(({ metadata }) => metadata.namespace !== home)
}

const observedKinds = async ({ admin, access }: Observing): Promise<readonly GroupVersionKind[]> => {
  const rules = access.filter(isWriting).flatMap(rule => rule.apiGroups.map(group => ({ group, rule })))
  const kinds = (await Promise.all(rules.map(({ group, rule }) => kindsOf(admin, group, rule)))).flat()
  return [...new Map(kinds.map(kind => [`${kind.apiVersion} ${kind.kind}`, kind])).values()]
}

const isWriting = ({ verbs }: AccessRule): boolean => verbs.some(verb => !['get', 'list', 'watch'].includes(verb))

/** Events are for people; parts, such as `deployments/status`, are no objects. */
const isObserved = ({ name, verbs }: Resource, { resources }: AccessRule): boolean =>
  name !== 'events' &&
  !name.includes('/') &&
  verbs.includes('list') &&
  (resources.includes(name) || resources.includes('*'))

type Resource = { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }

/** None where the group is not served, or not yet. */
const kindsOf = async (admin: Client, group: string, rule: AccessRule): Promise<GroupVersionKind[]> => {
  try {
    const apiVersion = group === '' ? 'v1' : await preferredVersion(admin, group)
    const path = group === '' ? '/api/v1' : `/apis/${apiVersion}`
    const { resources } = (await admin.raw({ method: 'GET', path })) as { resources: readonly Resource[] }
    return resources.filter(one => isObserved(one, rule)).map(({ kind }) => ({ apiVersion, kind }))
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

const preferredVersion = async (admin: Client, group: string): Promise<string> => {
  const answer = await admin.raw({ method: 'GET', path: `/apis/${group}` })
  return (answer as { preferredVersion: { groupVersion: string } }).preferredVersion.groupVersion
}
