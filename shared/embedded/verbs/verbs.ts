// The verbs of RBAC and discovery, by HTTP method.
import { ownedAfterUpdate } from '../apply/ownership.ts'
import { reviews } from '../authorization/reviews.ts'
import { traitsOf } from '../builtin/traits.ts'
import type { ResourcePath } from '../http/request.ts'
import { objectOf } from './body.ts'
import type { Call, Reply } from './call.ts'
import { placed, withNameOf } from './metadata.ts'
import { boolean, writeOptions } from './options.ts'
import { patch } from './patch.ts'
import { get, list } from './read.ts'
import { remove, removeCollection } from './remove.ts'
import { change, changeOf, create } from './write.ts'

const post = async (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'CreateOptions')
  return create(call, { object: objectOf(call, call.kind, options.fieldValidation), isOwned: false }, options)
}

const put = async (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'UpdateOptions')
  const given = placed(objectOf(call, call.kind, options.fieldValidation), call.kind, call.namespace)
  const object = withNameOf(call, given)
  return change(call, options, {
    produce: () => ({ object, isOwned: false }),
    isReplacement: true,
    createsIfAbsent: traitsOf(call.kind).createsOnUpdate ?? false,
  })
}

const createOrReview = async (call: Call): Promise<Reply> => {
  const path = call.kind.group ? `${call.kind.group}/${call.kind.plural}` : call.kind.plural
  const review = Object.hasOwn(reviews, path) ? reviews[path] : undefined
  if (!review) return post(call)
  const options = writeOptions(call, 'CreateOptions')
  const asked = ownedAfterUpdate(undefined, objectOf(call, call.kind, options.fieldValidation), changeOf(call, options))
  return { is: 'object', code: 201, kind: call.kind, object: { ...asked, status: await review(call, asked) } }
}

export const verbs: Readonly<Record<string, (call: Call) => Promise<Reply> | Reply>> = {
  get,
  list,
  create: createOrReview,
  update: put,
  patch,
  delete: remove,
  deletecollection: removeCollection,
}

const byMethod: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }

export const verbOf = (
  method: string,
  { name, isWatch, subresource }: ResourcePath,
  query: URLSearchParams,
): string => {
  if (method === 'GET' || method === 'HEAD') {
    if (subresource) return 'get'
    const watches = isWatch || (!name && (boolean(query, 'watch') ?? false))
    return watches ? 'watch' : name ? 'get' : 'list'
  }
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection'
  return byMethod[method] ?? method.toLowerCase()
}
