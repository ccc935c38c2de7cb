// CREATE, server-side APPLY, REPLACE, PATCH and DELETE, each with its `repeatability` (repeat.ts).
import { type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import type { ApplyOptions, DeleteOptions, PartOptions, PatchBody, WriteOptions } from '../client-types.ts'
import { whatOf } from '../connection/answers.ts'
import type { Repeatability } from '../connection/repeat.ts'
import type { ApiRequest } from '../connection/request.ts'
import { isNotFound } from '../errors.ts'
import { withoutSecretQuotes } from '../writes/unquoted-errors.ts'
import { objectIn, withoutManagedFields } from './objects.ts'
import { ask, homePath, objectPath, onResource, queryText, type Session } from './session.ts'

type Patched = { contentType: string; repeatability: Repeatability }

const patches: Record<PatchBody['type'], Patched> = {
  merge: { contentType: 'application/merge-patch+json', repeatability: 'idempotent' },
  // A repeated JSON patch may append to a list twice.
  json: { contentType: 'application/json-patch+json', repeatability: 'once' },
  strategic: { contentType: 'application/strategic-merge-patch+json', repeatability: 'once' },
}

export const create = (session: Session, object: KubeObject, options: WriteOptions): Promise<KubeObject> =>
  write(session, { ref: refOf(object), options }, resource => ({
    verb: 'create',
    method: 'POST',
    path: homePath(resource, refOf(object)) + writeQuery(options),
    contentType: 'application/json',
    body: JSON.stringify(object),
    repeatability: 'once',
  }))

export const apply = (session: Session, object: KubeObject, options: ApplyOptions): Promise<KubeObject> =>
  write(session, { ref: refOf(object), options }, resource => ({
    verb: 'apply',
    method: 'PATCH',
    path: objectPath(resource, refOf(object)) + writeQuery(options),
    // The body is JSON, which is valid YAML. Every API server supports this media type.
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify(object),
    repeatability: options.isCreation ? 'once' : 'idempotent',
  }))

/** If a successful request is repeated, the result is a conflict, and the caller reads the object again. */
export const replace = (session: Session, object: KubeObject, options: PartOptions): Promise<KubeObject> =>
  write(session, { ref: refOf(object), options }, resource => ({
    verb: verbOf('replace', options),
    method: 'PUT',
    path: objectPath(resource, refOf(object), options.subresource) + writeQuery(options),
    contentType: 'application/json',
    body: JSON.stringify(object),
    repeatability: 'idempotent',
  }))

export const patch = (
  session: Session,
  ref: ObjectRef,
  { type, body }: PatchBody,
  options: PartOptions,
): Promise<KubeObject> =>
  write(session, { ref, options }, resource => ({
    verb: verbOf('patch', options),
    method: 'PATCH',
    path: objectPath(resource, ref, options.subresource) + writeQuery(options),
    body: JSON.stringify(body),
    ...patches[type],
  }))

export const deleteObject = async (session: Session, ref: ObjectRef, options: DeleteOptions): Promise<boolean> => {
  try {
    await onResource(session, ref, resource =>
      ask(session, {
        verb: 'delete',
        method: 'DELETE',
        path: objectPath(resource, ref),
        contentType: 'application/json',
        body: JSON.stringify(deleteBody(options)),
        // Without a uid, a repeated DELETE could delete a new object of the same name.
        repeatability: options.uid ? 'idempotent' : 'once',
      }),
    )
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Dry runs keep managedFields, because a plan shows who would own the fields. */
const write = (
  session: Session,
  { ref, options }: { readonly ref: ObjectRef; readonly options: WriteOptions },
  asked: (resource: Parameters<typeof homePath>[0]) => ApiRequest,
): Promise<KubeObject> =>
  onResource(session, ref, async resource => {
    const request = asked(resource)
    const answer = await ask(session, request).catch(error => {
      throw withoutSecretQuotes(error, { kind: ref, asked: whatOf(request) })
    })
    const object = objectIn(answer)
    return options.dryRun ? object : withoutManagedFields(object)
  })

/** Metrics distinguish writes of a status from writes of an object. */
const verbOf = (verb: string, { subresource }: PartOptions): string => (subresource ? `${verb} ${subresource}` : verb)

const writeQuery = ({ fieldManager, dryRun, force }: ApplyOptions): string =>
  queryText({ fieldManager, force: force || undefined, dryRun: dryRun ? 'All' : undefined })

const deleteBody = ({ uid, resourceVersion, propagation, dryRun }: DeleteOptions) => ({
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  propagationPolicy: propagation,
  dryRun: dryRun ? ['All'] : undefined,
  preconditions: uid || resourceVersion ? { uid, resourceVersion } : undefined,
})
