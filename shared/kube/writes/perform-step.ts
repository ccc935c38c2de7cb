// Performs one step of a plan. Writes are bound to the uid and resourceVersion that the function read, or are server-side applies of our
// own fields. A step whose result already exists writes nothing.
import type { CertificateRequest, Observed, Step } from '../../core/decisions/plan.ts'
import { type JsonMap, mapOrEmpty, sameJson } from '../../core/json/json.ts'
import { mergePatched } from '../../core/json/merge-patch.ts'
import { isApplied, isSameVersion } from '../../core/objects/applied.ts'
import { hasFinalizer, isDeleting, type KubeObject, refOf, refText } from '../../core/objects/object.ts'
import type { SecretRecipe } from '../../core/objects/secret-text.ts'
import { withoutManagedFields } from '../client/objects.ts'
import type { Client, ReadClient } from '../client-types.ts'
import { writable } from '../clusters/read-only.ts'
import { ApiError, isAlreadyExists, isNotFound, isNotServed, isOverburdened, nothingIf } from '../errors.ts'
import { boundPatch } from './bound-writes.ts'
import { reclaimedFields, withServerFilledFields } from './stored-fields.ts'

export type Reach = {
  client: Client
  fieldManager: string
  issue: IssueCertificates
  makeData?: MakeSecretData
  runHook?: RunHook
  takeSnapshot?: TakeSnapshot
}

/** Makes new keys and certificates, as base64 data of their Secret. `current`: the stored Secret, whose authority may be kept. */
type IssueCertificates = (
  request: CertificateRequest,
  current: KubeObject | undefined,
) => Promise<Record<string, string>>

/** Makes base64 data of a Secret. `source`: the Secret that the recipe refers to, if any. */
type MakeSecretData = (recipe: SecretRecipe, source: KubeObject | undefined) => Promise<Record<string, string>>

/** Runs the definition's hook, and returns the object with its new status. `unlocked` returns a client that can write. */
export type RunHook = (step: StepThat<'hook'>, unlocked: (client: ReadClient) => Client) => Promise<KubeObject>

export type TakeSnapshot = (etcd: KubeObject) => Promise<void>

type Done = { changed: boolean; object?: KubeObject }

export const performStep = <Does extends Step['do']>(step: StepThat<Does>, reach: Reach): Promise<Done> =>
  performers[step.do](step, reach)

type StepThat<Does extends Step['do']> = { [Each in Does]: Extract<Step, { do: Each }> & { readonly do: Each } }[Does]

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

/** Binds the object to the resourceVersion of our own write, if the object had a resourceVersion. */
const boundAnew = (object: KubeObject, { metadata: { resourceVersion } }: KubeObject): KubeObject =>
  object.metadata.resourceVersion ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object

/** Changes the owners in managedFields by a separate write, because an apply cannot change owners. */
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

const createObject = async (step: StepThat<'create'>, reach: Reach): Promise<Done> => {
  const { client, fieldManager } = reach
  const { object } = step
  const applied = step.isOfNewKind && !object.metadata.resourceVersion ? await createdByApply(object, reach) : undefined
  return { changed: true, object: applied ?? (await client.create(object, { fieldManager })) }
}

/**
 * No object has this resourceVersion, because etcd starts at 2. An apply with this resourceVersion creates a missing object, and fails with
 * a conflict if the object exists.
 */
const neverStored = '1'

/**
 * Creates by apply, because an API server delays POSTs of a new kind by two seconds, but not applies. Returns undefined when the apply is
 * refused but a POST may succeed. Examples: a field is missing in the schema, or the account may create but not patch.
 */
const createdByApply = async (object: KubeObject, { client, fieldManager }: Reach): Promise<KubeObject | undefined> => {
  const metadata = { ...object.metadata, resourceVersion: neverStored }
  const isAnswer = (error: unknown) => error instanceof ApiError && !isOverburdened(error)
  return client.apply({ ...object, metadata }, { fieldManager, isCreation: true }).catch(nothingIf(isAnswer))
}

const replaceTarget = async (step: StepThat<'replace'>, { client, fieldManager }: Reach): Promise<Done> => {
  const { object, target } = step
  const { uid, resourceVersion } = seen(target)
  const finalizers = [...new Set([...(target.metadata.finalizers ?? []), ...(object.metadata.finalizers ?? [])])]
  const metadata = { resourceVersion, ...object.metadata, uid, ...(finalizers.length > 0 && { finalizers }) }
  const after = await client.replace({ ...withServerFilledFields(object, target), metadata }, { fieldManager })
  return { changed: after.metadata.resourceVersion !== resourceVersion, object: after }
}

const deleteTarget = async ({ target, propagation }: StepThat<'delete'>, { client }: Reach): Promise<Done> =>
  isDeleting(target)
    ? { changed: false, object: target }
    : {
        changed:
          (await client.delete(refOf(target), { ...seen(target), propagation }).catch(nothingIf(isNotServed))) ?? false,
      }

const changeFinalizers = async (step: StepThat<'addFinalizer' | 'removeFinalizer'>, reach: Reach): Promise<Done> => {
  const { target, finalizer } = step
  const others = (target.metadata.finalizers ?? []).filter(name => name !== finalizer)
  if (step.do === 'addFinalizer')
    return hasFinalizer(target, finalizer)
      ? { changed: false, object: target }
      : merged(target, { metadata: { finalizers: [...others, finalizer] } }, reach)
  if (!hasFinalizer(target, finalizer)) return { changed: false, object: target }
  const done = await merged(target, { metadata: { finalizers: others } }, reach).catch(goneIsFine)
  // If the last finalizer of a deleted object is removed, the API server answers with the old resourceVersion.
  return { ...done, changed: true }
}

const patchTarget = async ({ target, merge, subresource }: StepThat<'patch'>, reach: Reach): Promise<Done> =>
  sameJson(mergePatched(target, merge), target)
    ? { changed: false, object: target }
    : merged(target, merge, { ...reach, subresource })

type Merging = Pick<Reach, 'client' | 'fieldManager'> & { subresource?: string }

const merged = async (target: Observed, merge: JsonMap, { client, ...how }: Merging): Promise<Done> => {
  const { resourceVersion } = seen(target)
  const object = await boundPatch(client, target, {
    merge,
    fieldManager: how.fieldManager,
    subresource: how.subresource,
  })
  return { changed: object.metadata.resourceVersion !== resourceVersion, object }
}

/** Creates the Secret, or updates exactly the version that was read, so certificates that are already trusted are never overwritten. */
const issueCertificates = async (step: StepThat<'issueCertificates'>, reach: Reach): Promise<Done> => {
  const { client, fieldManager } = reach
  const { into } = step
  if (!into.metadata.uid) {
    const object = { ...into, data: await newFiles(step, into, reach) }
    return { changed: true, object: await client.create(object, { fieldManager }) }
  }
  const current = await client.get(refOf(into))
  // The Secret was deleted since it was read, so the function must read again.
  if (!current) return { changed: true }
  const metadata = { ...into.metadata, ...seen(into) }
  const object = { ...into, metadata, data: await newFiles(step, current, reach) }
  // `force`, because another manager owns the data if the Secret was made by a plain create.
  return { changed: true, object: await client.apply(object, { fieldManager, force: true }) }
}

/** If several replicas create the Secret at once, the first one succeeds, and all replicas use its Secret. */
const createSecret = async ({ object, recipe }: StepThat<'createSecret'>, reach: Reach): Promise<Done> => {
  const { client, fieldManager, makeData } = reach
  if (!makeData) throw new TypeError('this process is not configured to generate the content of Secrets')
  if (await client.get(refOf(object))) return { changed: true }
  const data = await makeData(recipe, await sourceOf(recipe, client))
  return client.create({ ...object, data }, { fieldManager }).then(
    made => ({ changed: true, object: made }),
    (error: unknown) => {
      if (isAlreadyExists(error)) return { changed: true }
      throw error
    },
  )
}

const sourceOf = async (recipe: SecretRecipe, client: Client): Promise<KubeObject | undefined> => {
  const ref = 'signer' in recipe ? recipe.signer : 'source' in recipe ? recipe.source : undefined
  if (!ref) return undefined
  const source = await client.get(ref)
  if (!source) throw new TypeError(`${refText(ref)} is gone`)
  return source
}

/** With a `signer`, the authority in that Secret signs. The key of the authority stays in memory, and is not written into the new data. */
const newFiles = async (
  { for: request, into }: StepThat<'issueCertificates'>,
  current: KubeObject,
  { client, issue }: Reach,
): Promise<Record<string, string>> => {
  if (request.signer === undefined) return issue(request, current)
  const { 'ca.crt': authorities, 'ca.key': key } = mapOrEmpty((await client.get(request.signer))?.data)
  if (!authorities || !key)
    throw new TypeError(`${refText(request.signer)} contains no certificate authority that can sign`)
  const data = { ...mapOrEmpty(current.data), 'ca.crt': authorities, 'ca.key': key }
  const { 'ca.key': _, ...files } = await issue(request, { ...into, data })
  return files
}

/** The uid and resourceVersion that bind a write. Throws for an object that was not read. */
const seen = ({ apiVersion, kind, metadata }: Observed): { uid: string; resourceVersion: string } => {
  const { uid, resourceVersion } = metadata
  if (uid && resourceVersion) return { uid, resourceVersion }
  throw new TypeError(
    `${apiVersion} ${kind} ${metadata.name} was not read from a cluster, so it cannot be the target of a step`,
  )
}

/** A missing object counts as changed, because it existed when it was read. */
const goneIsFine = (error: unknown): Done => {
  if (isNotFound(error)) return { changed: true }
  throw error
}

const runHook = async (step: StepThat<'hook'>, { runHook: run }: Reach): Promise<Done> => {
  if (!run) throw new TypeError(`the function runs no hooks, but its plan asks for ${step.point}`)
  const object = await run(step, writable)
  return { changed: !sameJson(object.status, step.object.status), object }
}

const takeSnapshot = async ({ object }: StepThat<'takeSnapshot'>, reach: Reach): Promise<Done> => {
  if (!reach.takeSnapshot) throw new TypeError('the function takes no snapshots, but its plan asks for one')
  await reach.takeSnapshot(object)
  return { changed: false, object }
}

type Performers = { readonly [Does in Step['do']]: (step: StepThat<Does>, reach: Reach) => Promise<Done> }

const performers: Performers = {
  apply: applyObject,
  create: createObject,
  replace: replaceTarget,
  delete: deleteTarget,
  addFinalizer: changeFinalizers,
  removeFinalizer: changeFinalizers,
  patch: patchTarget,
  issueCertificates,
  createSecret,
  hook: runHook,
  takeSnapshot,
}
