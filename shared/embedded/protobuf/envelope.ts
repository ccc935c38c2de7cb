// The envelope in which clients send protobuf: a magic number, what the object is, and its message. Answers are always
// JSON: clients that send protobuf take both.
import { schemaNameOf } from '../kinds/builtin.ts'
import { badRequest } from '../status.ts'
import { messageOf } from './message.ts'
import { type WireField, wireFields } from './wire.ts'

export const protobufType = 'application/vnd.kubernetes.protobuf'

const magic = Buffer.from('k8s\0')

/** A protobuf body as the JSON text it stands for. Throws a 400 for what is no built-in object. */
export const protobufAsJson = (body: Buffer): string => {
  if (!body.subarray(0, magic.length).equals(magic))
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  const envelope = wireFields(body.subarray(magic.length))
  const type = wireFields(part(envelope, 1))
  const apiVersion = part(type, 1).toString()
  const kind = part(type, 2).toString()
  const schema = schemaNameOf(apiVersion, kind)
  if (!schema)
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  return JSON.stringify({ apiVersion, kind, ...messageOf(part(envelope, 2), schema) })
}

const part = (fields: WireField[], number: number): Buffer => {
  const found = fields.findLast(field => field.number === number)?.value
  return Buffer.isBuffer(found) ? found : Buffer.alloc(0)
}
