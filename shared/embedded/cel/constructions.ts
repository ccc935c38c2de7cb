// Objects that expressions construct: `Object.spec{replicas: 1}`, `JSONPatch{op: "add"}`. The library lacks this syntax, so constructions
// are converted to calls: `Object({"replicas": 1}, "Object.spec")`. Only the language of policies has these functions.
import { type Environment, Optional } from '@marcbachmann/cel-js'
import { isMap, type JsonMap, put } from '../value.ts'

export class Construction {
  readonly type: string
  readonly fields: JsonMap

  /** A field whose name begins with `?` is optional. */
  constructor(fields: JsonMap, type: string) {
    this.type = type
    this.fields = {}
    for (const [name, value] of Object.entries(fields))
      if (!(value instanceof Optional)) put(this.fields, name, value)
      else if (value.hasValue()) put(this.fields, name.replace('?', ''), value.value())
  }
}

class PatchOperation extends Construction {}
class JsonPatchFunctions {}

export const addConstructions = (environment: Environment): Environment =>
  environment
    .registerType('Object', Construction)
    .registerType('JSONPatch', PatchOperation)
    .registerType('JsonPatchFunctions', JsonPatchFunctions)
    .registerConstant('jsonpatch', 'JsonPatchFunctions', new JsonPatchFunctions())
    .registerFunction('Object(map): Object', (fields: JsonMap) => new Construction(fields, 'Object'))
    .registerFunction('Object(map, string): dyn', (fields: JsonMap, type: string) => new Construction(fields, type))
    .registerFunction('JSONPatch(map): JSONPatch', (fields: JsonMap) => new PatchOperation(fields, 'JSONPatch'))
    .registerFunction('JsonPatchFunctions.escapeKey(string): string', (_: unknown, key: string) =>
      key.replaceAll('~', '~0').replaceAll('/', '~1'),
    )

export const jsonOf = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Construction) return jsonOf(value.fields)
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(jsonOf)
  if (!isMap(value)) return value
  const result: JsonMap = {}
  for (const [name, each] of Object.entries(value)) put(result, name, jsonOf(each))
  return result
}

/** The fault of a field whose construction has another type. Field `a` of `Object.spec` must be an `Object.spec.a`. */
export const mistypedPart = (value: unknown, path: string): string | undefined => {
  if (Array.isArray(value)) return value.map(each => mistypedPart(each, path)).find(Boolean)
  if (!(value instanceof Construction)) return undefined
  if (value.type !== path)
    return `unexpected type name "${value.type}", expected "${path}", which matches field name path from root Object type`
  return Object.entries(value.fields)
    .map(([name, each]) => mistypedPart(each, `${path}.${name}`))
    .find(Boolean)
}

const tokens =
  /\/\/[^\n]*|\s+|(?:[rR]"[^"]*"|[rR]'[^']*'|[bB]?(?:""".*?"""|'''.*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))|(?!in\b)[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*(?=\s*\{)|\w+|./gs

export const withCalls = (expression: string): { text: string; placeOf(at: number): number } => {
  const rewriter = new Rewriter()
  const places: { readonly at: number; readonly original: number }[] = []
  let text = ''
  for (const { 0: token, index } of expression.matchAll(tokens)) {
    places.push({ at: text.length, original: index })
    text += rewriter.token(token, /^\s*\{/.test(expression.slice(index + token.length)))
  }
  const placeOf = (at: number) => {
    const last = places.findLast(place => place.at <= at)
    return last ? last.original + at - last.at : at
  }
  return { text, placeOf }
}

class Rewriter {
  readonly #closing: string[] = []
  #pending: string | undefined
  #isFieldNext = false
  #mark = ''

  token(token: string, isBeforeBrace: boolean): string {
    if (/^(\s|\/\/)/.test(token)) return token
    if (this.#isFieldNext && token === '?') return this.#optional()
    const isField = this.#isFieldNext
    this.#isFieldNext = false
    if (isField && /^\w/.test(token)) return this.#field(token)
    if (isBeforeBrace && /^(?!in$)[A-Za-z_]\w*(\s*\.|$)/.test(token)) return this.#begin(token.replaceAll(/\s/g, ''))
    return this.#sign(token)
  }

  #optional(): string {
    this.#mark = '?'
    return ''
  }

  #field(name: string): string {
    const mark = this.#mark
    this.#mark = ''
    return `"${mark}${name}"`
  }

  #begin(type: string): string {
    const [name = ''] = type.split('.')
    this.#pending = type === name ? '})' : `}, "${type}")`
    return `${name}(`
  }

  #sign(sign: string): string {
    if (sign === '{') {
      this.#isFieldNext = this.#pending !== undefined
      this.#closing.push(this.#pending ?? '}')
      this.#pending = undefined
    } else if (sign === '(' || sign === '[') this.#closing.push(sign)
    else if (sign === ',') this.#isFieldNext = this.#closing.at(-1)?.endsWith(')') === true
    else if (sign === '}' || sign === ')' || sign === ']') return this.#close(sign)
    return sign
  }

  #close(sign: string): string {
    const closing = this.#closing.pop()
    return sign === '}' && closing ? closing : sign
  }
}
