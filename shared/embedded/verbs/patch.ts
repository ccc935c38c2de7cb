// PATCH: JSON, merge and strategic merge patches, and server-side apply.
import { mergePatched } from '../../core/json/merge-patch.ts'
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { applied } from '../apply/apply.ts'
import { withOwnersOf } from '../apply/ownership.ts'
import { jsonPatched, strategicPatched } from '../patches.ts'
import {
  badRequest,
  gvkText,
  invalid,
  invalidValue,
  notFound,
  unsupportedMediaType,
  unsupportedPatch,
} from '../status.ts'
import { goText, isMap, type JsonMap, mapOrEmpty } from '../value.ts'
import { asTyped, goKind, jsonIn, Misread, repeatedIn, reportRepeated, type Strictness, yamlValue } from './body.ts'
import { type Call, type Reply, type WriteOptions, writeOptions } from './call.ts'
import { placed, withNameOf } from './metadata.ts'
import { change, changeOf, type Produced } from './write.ts'

type Produce = (call: Call, options: WriteOptions, before: KubeObject) => KubeObject

const apply = 'application/apply-patch+yaml'

const patches: Readonly<Record<string, Produce>> = {
  'application/json-patch+json': (call, options, before) =>
    repatched(call, options, jsonPatched(before, operationsBody(call)), JSON.stringify),
  'application/merge-patch+json': (call, options, before) =>
    repatched(call, options, mergePatched(before, mapBody(call, 'error decoding patch: ')), JSON.stringify),
  'application/strategic-merge-patch+json': (call, options, before) => {
    const given = mapBody(call, '')
    return repatched(call, options, strategicPatched(before, given, call.kind.schema), () => goText(given))
  },
}

export const patch = async (call: Call): Promise<Reply> => {
  const type = call.contentType
  const accepted = [...Object.keys(patches), apply].filter(each => !call.kind.custom || !each.includes('strategic'))
  if (!accepted.includes(type)) throw call.kind.custom ? unsupportedMediaType(accepted) : unsupportedPatch()
  if (type === apply) return serverSideApply(call)
  const options = writeOptions(call, 'PatchOptions')
  const produce = patches[type]
  return change(call, options, {
    createsIfAbsent: false,
    produce: before => {
      if (!before || !produce) throw notFound(call.kind, call.name)
      return { object: named(call, produce(call, options, before)), isOwned: false }
    },
  })
}

const named = (call: Call, object: KubeObject): KubeObject =>
  withNameOf(call, placed(object, call.kind, call.namespace))

const jsonBody = ({ body }: Call): unknown =>
  jsonIn(body, 'error decoding patch', why => badRequest(`error decoding patch: ${why}`))

const operationsBody = (call: Call): unknown => {
  const value = jsonBody(call)
  const isList = Array.isArray(value)
  const stray: unknown = isList ? value.find(operation => !isMap(operation)) : value
  if (stray === undefined) return value
  const type = `${isList ? '' : '[]'}handlers.jsonPatchOp`
  throw badRequest(`error decoding patch: json: cannot unmarshal ${typeof stray} into Go value of type ${type}`)
}

const mapBody = (call: Call, prefix: string): JsonMap => {
  const value = jsonBody(call)
  if (isMap(value)) return value
  throw badRequest(`${prefix}${notAMap(value)}`)
}

const notAMap = (value: unknown): string =>
  `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`

/** Decodes a patched object again: drops unknown fields and sets defaults. */
const retyped = (call: Call, strictness: Strictness, value: unknown): KubeObject => {
  if (!isMap(value)) throw badRequest('json: cannot unmarshal into Go value of type map[string]interface {}')
  return asTyped(call, call.kind, value, strictness)
}

const patchStrictness = (call: Call, { fieldValidation: validation }: WriteOptions): Strictness => {
  const prefix = call.contentType === 'application/json-patch+json' ? 'json patch ' : ''
  return { validation, problems: repeatedIn(call.body, validation).map(problem => prefix + problem) }
}

/** If the patched object is invalid, the error message contains the patch instead of the body. */
const repatched = (
  call: Call,
  options: WriteOptions,
  value: unknown,
  shown: (value: unknown) => string,
): KubeObject => {
  try {
    return retyped(call, patchStrictness(call, options), value)
  } catch (error) {
    if (!(error instanceof Misread)) throw error
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown(value), error.why)])
  }
}

const serverSideApply = (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'PatchOptions', true)
  const repeated: string[] = []
  const config = configuration(call, repeated)
  const refused = (why: string) => badRequest(`error strict decoding YAML: error converting YAML to JSON: ${why}`)
  const tracking = changeOf(call, options)
  const produce = (before: KubeObject | undefined): Produced => {
    const { object, isChanged } = applied(before, config, tracking, options.isForced)
    reportRepeated(call, repeated, { validation: options.fieldValidation, refused })
    const result = isChanged || !before ? object : withOwnersOf(before, object)
    return {
      object: named(call, retyped(call, { validation: options.fieldValidation, problems: [] }, result)),
      isOwned: true,
    }
  }
  return change(call, options, { produce, createsIfAbsent: true })
}

const configuration = (call: Call, repeated: string[]): KubeObject => {
  const value = yamlBody(call.body, repeated)
  if (!isMap(value))
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAMap(value)}`)
  const expected = apiVersionOf(call.kind)
  if (value.apiVersion !== expected || value.kind !== call.kind.kind) throw wrongType(value)
  const metadata = mapOrEmpty(value.metadata)
  return { ...value, apiVersion: expected, kind: call.kind.kind, metadata } as unknown as KubeObject
}

const wrongType = ({ apiVersion, kind }: JsonMap): Error =>
  badRequest(`invalid object type: ${gvkText({ apiVersion: String(apiVersion ?? ''), kind: String(kind ?? '') })}`)

const yamlBody = (text: string, repeated: string[]): unknown => {
  try {
    return yamlValue(text, repeated)
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`)
  }
}
