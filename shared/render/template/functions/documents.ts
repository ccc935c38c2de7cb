// Writes values as YAML, JSON and TOML, and reads them. If a value cannot be written, the result is an empty text. If a text cannot be
// read, the result is the error. The `must` functions fail instead.
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { readYaml, YamlError } from '../../../core/yaml/read.ts'
import type { Budget } from '../run/environment.ts'
import { Failure } from '../run/failure.ts'
import { goValue } from '../value/json.ts'
import { type JsonStyle, jsonText, marshalled } from '../value/marshal.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import { GoMap, type GoValue, mapOf, nilList, type TemplateFunction } from '../value/value.ts'
import { prettyStyle, writeYaml, yamlText } from '../yaml/write.ts'
import { readToml, writeToml } from './toml.ts'

type Write = (value: GoValue, budget: Budget) => string

const writing = (write: Write): TemplateFunction => within('any', ({ budget }, value) => write(value, budget))

const emptyOnFailure =
  (write: Write): Write =>
  (value, budget) => {
    try {
      return write(value, budget)
    } catch (error) {
      if (error instanceof Failure) return ''
      throw error
    }
  }

const json =
  (style: JsonStyle): Write =>
  value =>
    jsonText(marshalled(value), style)

const prettyYaml: Write = (value, budget) => writeYaml(value, prettyStyle, budget)

const compactJson = json({ indent: '', escapesHtml: true })
const indentedJson = json({ indent: '  ', escapesHtml: true })
const rawJson = json({ indent: '', escapesHtml: false })

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Failure(text.trim() === '' ? 'unexpected end of JSON input' : error.message)
  }
}

const parsedYaml = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new Failure(`error converting YAML to JSON: yaml: ${error.message}`)
  }
}

type Parse = {
  readonly from: (text: string) => unknown
  /** For `null`, Go leaves a nil map or list in JSON, and an empty map or list in YAML. */
  readonly isNilForNull: boolean
  readonly mismatch: string
}

const jsonIn: Parse = { from: parsedJson, isNilForNull: true, mismatch: '' }
const yamlIn: Parse = {
  from: parsedYaml,
  isNilForNull: false,
  mismatch: 'error unmarshaling JSON: while decoding JSON: ',
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value
}

const mismatch = ({ mismatch: prefix }: Parse, value: unknown, type: string): Failure =>
  new Failure(`${prefix}json: cannot unmarshal ${kindOf(value)} into Go value of type ${type}`)

const mapFrom = (parse: Parse, text: string): GoValue => {
  const value = parse.from(text)
  if (value === null) return Object.assign(new GoMap(), { isNil: parse.isNilForNull })
  if (isMap(value)) return goValue(value satisfies JsonMap)
  throw mismatch(parse, value, 'map[string]interface {}')
}

const listFrom = (parse: Parse, text: string): GoValue => {
  const value = parse.from(text)
  if (value === null) return parse.isNilForNull ? nilList() : []
  if (Array.isArray(value)) return goValue(value)
  throw mismatch(parse, value, '[]interface {}')
}

const errorIn = (message: string): GoValue => mapOf([['Error', message]])

/** If the text cannot be read, the result is made from the message of the error. */
const reader = (read: (text: string) => GoValue, ofMessage = errorIn): TemplateFunction =>
  fn('string', text => {
    try {
      return read(text)
    } catch (error) {
      if (error instanceof Failure) return ofMessage(error.message)
      throw error
    }
  })

const mapReader = (parse: Parse): TemplateFunction => reader(text => mapFrom(parse, text))
const listReader = (parse: Parse): TemplateFunction =>
  reader(
    text => listFrom(parse, text),
    message => [message],
  )

export const documents: FunctionTable = {
  fromJson: mapReader(jsonIn),
  fromJsonArray: listReader(jsonIn),
  fromToml: reader(readToml),
  fromYaml: mapReader(yamlIn),
  fromYamlArray: listReader(yamlIn),
  mustFromJson: fn('string', text => goValue(parsedJson(text))),
  mustFromJsonArray: fn('string', text => listFrom(jsonIn, text)),
  mustFromYaml: fn('string', text => mapFrom(yamlIn, text)),
  mustFromYamlArray: fn('string', text => listFrom(yamlIn, text)),
  mustToJson: writing(compactJson),
  mustToPrettyJson: writing(indentedJson),
  mustToRawJson: writing(rawJson),
  mustToYaml: writing(yamlText),
  mustToYamlPretty: writing(prettyYaml),
  toJson: writing(emptyOnFailure(compactJson)),
  toPrettyJson: writing(emptyOnFailure(indentedJson)),
  toRawJson: writing(rawJson),
  toToml: fn('any', writeToml),
  toYaml: writing(emptyOnFailure(yamlText)),
  toYamlPretty: writing(emptyOnFailure(prettyYaml)),
}
