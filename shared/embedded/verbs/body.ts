// Reads the body of a request as an object of the path's kind.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { readYamlNoting } from '../../core/yaml/read.ts'
import { DecodeError } from '../kinds/decode.ts'
import type { Kind } from '../kinds/kind.ts'
import { typedObject } from '../kinds/typed.ts'
import { badRequest, invalid, invalidValue, quote, StatusError, tooLarge, unsupportedMediaType } from '../status.ts'
import { isMap, isTooDeep, type JsonMap, parsedJson, textAt } from '../value.ts'
import type { Call, FieldValidation } from './call.ts'
import { eachKey, repeatedFields } from './repeated-fields.ts'

const readable = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

export const objectOf = (call: Call, kind: Kind, validation: FieldValidation): KubeObject => {
  const repeated: string[] = []
  const fields = fieldsOf(call, kind, repeated)
  const refused = (why: string): StatusError => new Misread(kind.kind, kind, `strict decoding error: ${why}`)
  reportRepeated(call, repeated, { validation, refused })
  if (kind.custom && !fields.kind) throw unrecognized(kind, `Object 'Kind' is missing in '${call.body}'`, call.body)
  if (kind.custom && !fields.apiVersion) throw wrongVersion('', kind)
  const problems = call.contentType === 'application/yaml' ? [] : repeatedIn(call.body, validation)
  return asTyped(call, kind, fields, { validation, problems })
}

/** How strictly a body is read, and the problems that its reader found. */
export type Strictness = { readonly validation: FieldValidation; readonly problems: readonly string[] }

export const repeatedIn = (json: string, validation: FieldValidation): string[] =>
  validation === 'Ignore' ? [] : repeatedFields(json).map(path => `duplicate field ${quote(path)}`)

/** Depending on the request, repeated keys in YAML are an error, warnings, or ignored. */
export const reportRepeated = (
  call: Call,
  repeated: readonly string[],
  { validation, refused }: { validation: FieldValidation; refused: (why: string) => StatusError },
): void => {
  if (validation === 'Strict' && repeated.length > 0)
    throw refused(`yaml: unmarshal errors:\n${repeated.map(line => `  ${line}`).join('\n')}`)
  if (validation === 'Warn') for (const line of repeated) call.warnings.add(line)
}

export const asTyped = (call: Call, kind: Kind, fields: JsonMap, strictness: Strictness): KubeObject => {
  const { apiVersion, kind: name } = fields
  const expected = apiVersionOf(kind)
  const isMissing = (value: unknown) => value === undefined || value === ''
  const isExpected = (isMissing(name) || name === kind.kind) && (isMissing(apiVersion) || apiVersion === expected)
  if (!isExpected) throw misnamed(call, kind, { apiVersion: expected, kind: kind.kind, ...fields })
  return strictly(call, kind, strictness, unknown => typedObject(kind, fields, unknown))
}

const misnamed = (call: Call, kind: Kind, fields: JsonMap): StatusError => {
  const apiVersion = String(fields.apiVersion)
  const name = String(fields.kind)
  if (kind.custom && apiVersion === apiVersionOf(kind))
    return invalid({ group: kind.group, kind: name }, textAt(fields, 'metadata', 'name'), [
      invalidValue('kind', name, `must be ${kind.kind}`),
    ])
  if (kind.custom) return wrongVersion(apiVersion, kind)
  const other = call.cluster.registry.named(apiVersion, name)
  const version = apiVersion.split('/').at(-1) ?? ''
  const internal = `${kind.group.split('.')[0] || 'core'}.${kind.kind}`
  if (other && apiVersionOf(other) !== apiVersionOf(kind)) return wrongVersion(apiVersion, kind)
  const why = other
    ? `converting (${version}.${name}) to (${internal}): unknown conversion`
    : `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
  return new Misread(name, kind, why, version)
}

const wrongVersion = (apiVersion: string, kind: Kind): StatusError =>
  badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(kind)})`,
  )

/** Depending on the request, problems and unknown fields are an error, warnings, or ignored. */
const strictly = <T>(
  call: Call,
  kind: Kind,
  { validation, problems: found }: Strictness,
  decode: (unknown: string[]) => T,
): T => {
  const unknown: string[] = []
  try {
    const decoded = decode(unknown)
    const problems = inOrder(call, kind, [...found, ...unknown.map(path => `unknown field ${quote(path)}`)])
    if (validation === 'Strict' && problems.length)
      throw new DecodeError(`strict decoding error: ${problems.join(', ')}`)
    if (validation === 'Warn') for (const problem of problems) call.warnings.add(problem)
    return decoded
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new Misread(kind.kind, kind, error.message)
  }
}

/** Faults of built-in kinds have the order of the body. For custom kinds, repeated keys come first. */
const inOrder = (call: Call, kind: Kind, problems: string[]): string[] => {
  const isMixed =
    problems.some(each => each.startsWith('duplicate')) && problems.some(each => each.startsWith('unknown'))
  if (kind.custom || !isMixed) return problems
  const left = new Set(problems)
  const ordered: string[] = []
  eachKey(call.body, (path, isAgain) => {
    const problem = `${isAgain ? 'duplicate' : 'unknown'} field ${quote(path())}`
    if (left.delete(problem)) ordered.push(problem)
    return left.size === 0
  })
  return [...ordered, ...left]
}

export class Misread extends StatusError {
  readonly why: string

  constructor(name: string, kind: Kind, why: string, version = kind.version) {
    super(
      400,
      'BadRequest',
      `${name} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: ${why}`,
    )
    this.why = why
  }
}

const fieldsOf = (call: Call, kind: Kind, repeated: string[]): JsonMap => {
  const type = call.contentType || 'application/json'
  if (type !== 'application/json' && type !== 'application/yaml') throw unsupportedMediaType(readable)
  const value = type === 'application/json' ? parseJson(call.body, kind) : parseYaml(call.body, kind, repeated)
  if (isMap(value)) return value
  throw unrecognized(
    kind,
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    call.body,
  )
}

export const goKind = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

export const parseJson = (text: string, kind: Kind): unknown => {
  const tooDeep = `${kind.kind} in version ${quote(kind.version)} cannot be handled as a ${kind.kind}: json`
  return jsonIn(text, tooDeep, why => unrecognized(kind, `couldn't get version/kind; json parse error: ${why}`, text))
}

/** The value of a JSON text. Texts that are too deep or no JSON are bad requests. */
export const jsonIn = (text: string, subject: string, refused: (why: string) => StatusError): unknown => {
  if (isTooDeep(text)) throw badRequest(`${subject}: exceeded max depth`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refused((error as SyntaxError).message)
  }
}

const parseYaml = (text: string, kind: Kind, repeated: string[]): unknown => {
  try {
    return yamlValue(text, repeated)
  } catch (error) {
    if (error instanceof StatusError) throw error
    throw unrecognized(kind, `error converting YAML to JSON: ${(error as Error).message}`, text)
  }
}

/** Parses YAML. Aliases may not make the value larger than a request may be. `repeated` receives a line for each repeated key. */
export const yamlValue = (text: string, repeated: string[] = []): unknown => {
  if (isTooDeep(text)) throw badRequest('error decoding YAML: exceeded max depth')
  // Most YAML from programs is JSON, and JSON.parse is twenty times faster. Only the YAML reader reports lines of repeated keys.
  const json = text.startsWith('{') ? parsedJson(text) : undefined
  if (json !== undefined && repeatedFields(text).length === 0) return json
  const value = readYamlNoting((key, lineOf) => {
    if (repeated.length < repeatedMost) repeated.push(`line ${lineOf()}: key ${JSON.stringify(key)} already set in map`)
  }, text)
  if (charactersIn(value, mostCharacters) > mostCharacters) throw tooLarge(`limit is ${mostCharacters}`)
  return value
}

const repeatedMost = 100

const mostCharacters = 3 * 1024 * 1024

const charactersIn = (value: unknown, most: number): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  let sum = 0
  for (const [key, inner] of Object.entries(value)) {
    sum += (Array.isArray(value) ? 0 : key.length) + charactersIn(inner, most - sum)
    if (sum > most) return sum
  }
  return sum
}

const shownBytes = 30

const unrecognized = (kind: Kind, why: string, body: string): StatusError => {
  const start = body.slice(0, shownBytes)
  const shown = body.startsWith('{') ? start : Buffer.from(start).toString('hex')
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${shown}${body.length > shownBytes ? ' ...' : ''})`,
  )
}
