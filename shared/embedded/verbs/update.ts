// POST and PUT.
import type { KubeObject } from '../../core/objects/object.ts'
import { traitsOf } from '../builtin/traits.ts'
import { badRequest } from '../status.ts'
import { objectOf } from './body.ts'
import type { Call, Reply } from './call.ts'
import { placed } from './metadata.ts'
import { writeOptions } from './options.ts'
import { change, create } from './write.ts'

export const post = async (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'CreateOptions')
  return create(call, { object: objectOf(call, call.kind, options.fieldValidation), isOwned: false }, options)
}

/** PUT: the whole object, or its status. */
export const put = async (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'UpdateOptions')
  const given = placed(objectOf(call, call.kind, options.fieldValidation), call.kind, call.namespace)
  const object = withNameOf(call, given)
  return change(call, options, {
    produce: () => ({ object, isOwned: false }),
    isReplacement: true,
    createsIfAbsent: traitsOf(call.kind).createsOnUpdate ?? false,
  })
}

/** The name in the path and in the object must be one; PUT may leave it out of the object only for no kind at all. */
export const withNameOf = (call: Call, object: KubeObject): KubeObject => {
  const { name } = object.metadata
  if (name === call.name) return object
  if (!name)
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`)
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`)
}
