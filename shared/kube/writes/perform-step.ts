// One step, performed. Every write is bound to the uid and resourceVersion the function decided on, or is a server-side
// apply of its own fields; a step whose wish is already so writes nothing.
import type { JsonMap } from '../../core/json.ts'
import { sameJson } from '../../core/json.ts'
import { mergePatched } from '../../core/merge-patch.ts'
import { hasFinalizer, isDeleting, type KubeObject, refOf } from '../../core/object.ts'
import type { CertificateRequest, Observed, Step } from '../../core/plan.ts'
import { withoutManagedFields } from '../client/objects.ts'
import type { Client } from '../client-types.ts'
import { isNotFound, isNotServed } from '../errors.ts'
import { isApplied, isSameVersion } from './applied.ts'
import { patchAsRead } from './bound-writes.ts'
import { reclaimedFields } from './field-owners.ts'
import { withFilledIn } from './server-filled-fields.ts'

/** What a step needs of its surroundings. */
type Reach = { client: Client; fieldManager: string; issue: IssueCertificates; runHook?: RunHook }

/**
 * The data of a Secret, base64, with new keys and certificates; `current` is the Secret as it is, for a CA to keep.
 * It neither reads nor writes the cluster.
 */
export type IssueCertificates = (
  request: CertificateRequest,
  current: KubeObject | undefined,
) => Promise<Record<string, string>>

/** Does what is due at this point of the object's life; answers it with the status it shall have after that. */
export type RunHook = (step: StepThat<'hook'>) => Promise<KubeObject>

/** `object` as it is stored now, unless it is gone. */
export type Done = { changed: boolean; object?: KubeObject }

export const performStep = (step: Step, reach: Reach): Promise<Done> => {
  switch (step.do) {
    case 'apply':
      return applyObject(step, reach)
    case 'create':
      return createObject(step, reach)
    case 'replace':
      return replaceTarget(step, reach)
    case 'delete':
      return deleteTarget(step, reach)
    case 'addFinalizer':
    case 'removeFinalizer':
      return changeFinalizers(step, reach)
    case 'patch':
      return patchTarget(step, reach)
    case 'issueCertificates':
      return issueCertificates(step, reach)
    case 'hook':
      return runHook(step, reach)
  }
}

type StepThat<Does extends Step['do']> = Extract<Step, { do: Does }>

const applyObject = async (step: StepThat<'apply'>, { client, fieldManager }: Reach): Promise<Done> => {
  const { object, force, reclaimFrom } = step
  const before = await client.get(refOf(object), { withManagedFields: true })
  const reclaimed = before && reclaimFrom && reclaimedFields(before, { fieldManager, prefixes: reclaimFrom, ...object })
  if (before && !reclaimed && isApplied(object, before, fieldManager))
    return { changed: false, object: withoutManagedFields(before) }
  const given =
    before && reclaimed && isSameVersion(object, before)
      ? await giveToUs(before, reclaimed, { client, fieldManager })
      : undefined
  const after = await client.apply(given ? boundAnew(object, given) : object, { fieldManager, force })
  return { changed: after.metadata.resourceVersion !== before?.metadata.resourceVersion, object: after }
}

/** Where it is bound at all, to the state that our own write has made. */
const boundAnew = (object: KubeObject, { metadata: { resourceVersion } }: KubeObject): KubeObject =>
  object.metadata.resourceVersion ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object

/** A write of its own, because an apply cannot say who owned what before. */
const giveToUs = (
  before: KubeObject,
  managedFields: unknown[],
  { client, fieldManager }: Pick<Reach, 'client' | 'fieldManager'>,
) =>
  client.patch(
    refOf(before),
    { type: 'merge', body: { metadata: { ...seen(before), managedFields } } },
    { fieldManager },
  )

const createObject = async ({ object }: StepThat<'create'>, { client, fieldManager }: Reach): Promise<Done> => ({
  changed: true,
  object: await client.create(object, { fieldManager }),
})

const replaceTarget = async (step: StepThat<'replace'>, { client, fieldManager }: Reach): Promise<Done> => {
  const { object, target } = step
  const { uid, resourceVersion } = seen(target)
  const finalizers = [...new Set([...(target.metadata.finalizers ?? []), ...(object.metadata.finalizers ?? [])])]
  const metadata = { resourceVersion, ...object.metadata, uid, ...(finalizers.length > 0 && { finalizers }) }
  const after = await client.replace({ ...withFilledIn(object, target), metadata }, { fieldManager })
  return { changed: after.metadata.resourceVersion !== resourceVersion, object: after }
}

const deleteTarget = async ({ target, propagation }: StepThat<'delete'>, { client }: Reach): Promise<Done> =>
  isDeleting(target)
    ? { changed: false, object: target }
    : { changed: await client.delete(refOf(target), { ...seen(target), propagation }).catch(notServedIsGone) }

const changeFinalizers = async (step: StepThat<'addFinalizer' | 'removeFinalizer'>, reach: Reach): Promise<Done> => {
  const { target, finalizer } = step
  const others = (target.metadata.finalizers ?? []).filter(name => name !== finalizer)
  if (step.do === 'addFinalizer')
    return hasFinalizer(target, finalizer)
      ? { changed: false, object: target }
      : merged(target, { metadata: { finalizers: [...others, finalizer] } }, reach)
  if (!hasFinalizer(target, finalizer)) return { changed: false, object: target }
  const done = await merged(target, { metadata: { finalizers: others } }, reach).catch(goneIsFine)
  // Where this lets the object go, the API server answers with the resourceVersion from before.
  return { ...done, changed: true }
}

const patchTarget = async ({ target, merge }: StepThat<'patch'>, reach: Reach): Promise<Done> =>
  sameJson(mergePatched(target, merge), target) ? { changed: false, object: target } : merged(target, merge, reach)

const merged = async (target: Observed, merge: JsonMap, { client, fieldManager }: Reach): Promise<Done> => {
  const { resourceVersion } = seen(target)
  const object = await patchAsRead(client, target, { merge, fieldManager })
  return { changed: object.metadata.resourceVersion !== resourceVersion, object }
}

/**
 * One writer wins: a Secret that the decision did not see is created, one that it saw is written over that very version.
 * Else a copy of us that decided a moment later would replace certificates that have just been issued and trusted.
 */
const issueCertificates = async (step: StepThat<'issueCertificates'>, reach: Reach): Promise<Done> => {
  const { client, fieldManager, issue } = reach
  const { into } = step
  if (!into.metadata.uid) {
    const object = { ...into, data: await issue(step.for, undefined) }
    return { changed: true, object: await client.create(object, { fieldManager }) }
  }
  const current = await client.get(refOf(into))
  // Gone since it was read: the world must be looked at again.
  if (!current) return { changed: true }
  const metadata = { ...into.metadata, ...seen(into) }
  const object = { ...into, metadata, data: await issue(step.for, current) }
  // Created by us without server-side apply, the data counts as another manager's.
  return { changed: true, object: await client.apply(object, { fieldManager, force: true }) }
}

/** What binds a write to the object as it was read. Throws for an object that was not read but made up. */
const seen = ({ apiVersion, kind, metadata }: Observed): { uid: string; resourceVersion: string } => {
  const { uid, resourceVersion } = metadata
  if (uid && resourceVersion) return { uid, resourceVersion }
  throw new TypeError(
    `${apiVersion} ${kind} ${metadata.name} was not read from a cluster: it cannot be a step's target`,
  )
}

/** With its kind, all objects of it are gone. */
const notServedIsGone = (error: unknown): boolean => {
  if (isNotServed(error)) return false
  throw error
}

/** Still a change: the world is not as it was read. */
const goneIsFine = (error: unknown): Done => {
  if (isNotFound(error)) return { changed: true }
  throw error
}

const runHook = async (step: StepThat<'hook'>, { runHook: run }: Reach): Promise<Done> => {
  if (!run) throw new TypeError(`the function runs no hooks, but its plan asks for ${step.point}`)
  const object = await run(step)
  return { changed: !sameJson(object.status, step.object.status), object }
}
