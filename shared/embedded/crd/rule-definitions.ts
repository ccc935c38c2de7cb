// Checks the x-kubernetes-validations of a definition: their form, and whether they compile against the schema. rules.ts runs them.
import type { Environment } from '@marcbachmann/cel-js'
import { compiled } from '../cel/compile.ts'
import { celLanguage } from '../cel/program.ts'
import { isWhole, SchemaTypes } from '../cel/values.ts'
import { memberOf, type Schema, type ValidationRule } from '../kinds/kind.ts'
import { type FieldFault, faultsIn, invalidValue, required, unlisted } from '../status.ts'
import { isMap } from '../value.ts'

/** Faults of form. Without faults of form, faults of compiling. */
export const definedRuleFaults = (schema: Schema, path: string): FieldFault[] => {
  const places = placesIn(schema, path)
  if (places.length === 0) return []
  const faults = places.flatMap(place => eachRule(place, formFaults))
  return faults.length > 0 ? faults : compileFaults(places)
}

type Place = {
  readonly schema: Schema
  readonly path: string
  readonly isRoot: boolean
  /** Schema path below which values have no old value to compare with. */
  readonly uncorrelated: string | undefined
}
type Rule = { readonly rule: ValidationRule; readonly at: string; readonly place: Place }

const placesIn = (root: Schema, path: string): Place[] => {
  const inner = (schema: Schema, at: string, lost?: string): Place[] => {
    const isAtomic = schema['x-kubernetes-map-type'] === 'atomic'
    const below = lost ?? (isAtomic ? at : undefined)
    const rest = schema.additionalProperties
    return [
      ...(schema['x-kubernetes-validations']?.length
        ? [{ schema, path: at, isRoot: schema === root || isWhole(schema), uncorrelated: lost }]
        : []),
      ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
        inner(each, `${at}.properties[${name}]`, below),
      ),
      ...(isMap(rest) ? inner(rest as Schema, `${at}.additionalProperties`, below) : []),
      ...(schema.items ? inner(schema.items, `${at}.items`, lost ?? (isKeyed(schema) ? undefined : at)) : []),
      ...(schema.allOf ?? []).flatMap((each, index) =>
        inner({ ...each, type: each.type ?? schema.type }, `${at}.allOf[${index}]`, lost),
      ),
    ]
  }
  return inner(root, path)
}

const isKeyed = (schema: Schema): boolean => schema['x-kubernetes-list-type'] === 'map'

const eachRule = (place: Place, faults: (rule: Rule) => FieldFault[]): FieldFault[] =>
  (place.schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
    faults({ rule, place, at: `${place.path}.x-kubernetes-validations[${index}]` }),
  )

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const lineBreak = /[\r\n]/

const formFaults = ({ rule, at, place }: Rule): FieldFault[] => {
  const { messageExpression = '', reason, fieldPath = '' } = rule
  const isBlank = (text: string) => text !== '' && text.trim() === ''
  const wrongPath = (why: string) => invalidValue(`${at}.fieldPath`, fieldPath, why)
  return faultsIn(
    messageFaults(rule, at),
    isBlank(messageExpression) &&
      required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'),
    reason !== undefined && unlisted(`${at}.reason`, reason, reasons),
    isBlank(fieldPath) && wrongPath('must be non-empty if specified'),
    lineBreak.test(fieldPath) && wrongPath('must not contain line breaks'),
    fieldPath !== '' && !isFieldPath(fieldPath, place.schema) && wrongPath('must be a valid path'),
  )
}

/** At most one fault, either of the rule's text or of the rule's message. */
const messageFaults = ({ rule, message = '' }: ValidationRule, at: string): FieldFault[] => {
  const shown = message.trim()
  if ((rule ?? '').trim() === '') return [required(`${at}.rule`, 'rule is not specified')]
  if (message !== '' && shown === '') return [invalidValue(`${at}.message`, message, 'must be non-empty if specified')]
  if (lineBreak.test(shown)) return [invalidValue(`${at}.message`, message, 'must not contain line breaks')]
  const isUnclear = lineBreak.test(rule.trim()) && shown === ''
  return isUnclear ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')] : []
}

const compileFaults = (places: readonly Place[]): FieldFault[] => {
  const language = celLanguage().clone()
  const types = new SchemaTypes(language)
  const typed = places.map(place => ({ place, type: types.typeOf(place.schema, place.isRoot) }))
  return typed.flatMap(({ place, type = 'dyn' }) => {
    const plain = withSelf(language, type, type)
    const optional = withSelf(language, type, `optional<${type}>`)
    return eachRule(place, rule => ruleFaults(rule, rule.rule.optionalOldSelf === true ? optional : plain))
  })
}

const withSelf = (language: Environment, self: string, oldSelf: string): Environment =>
  language.clone().registerVariable('self', self).registerVariable('oldSelf', oldSelf)

const ruleFaults = ({ rule, at, place }: Rule, environment: Environment): FieldFault[] => {
  const { why, usesOldSelf } = judged(rule.rule, environment)
  return [
    ...(why === undefined
      ? messageExpressionFaults(rule, at, environment)
      : [faultOf(`${at}.rule`, goStruct(rule), why)]),
    ...oldValueFaults({ rule, at, place }, usesOldSelf),
  ]
}

const judged = (rule: string, environment: Environment): { why?: string; usesOldSelf: boolean } => {
  const { fault, type, usesOldSelf = false } = compiled(rule, environment)
  if (fault !== undefined) return { why: `compilation failed: ${fault}`, usesOldSelf: false }
  return type === 'bool' ? { usesOldSelf } : { why: 'cel expression must evaluate to a bool', usesOldSelf: false }
}

const oldValueFaults = ({ rule, at, place }: Rule, usesOldSelf: boolean): FieldFault[] => {
  if (usesOldSelf && place.uncorrelated !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`
    return [invalidValue(`${at}.rule`, rule.rule, why)]
  }
  if (usesOldSelf || rule.optionalOldSelf === undefined) return []
  const why = 'may not be set if oldSelf is not used in rule'
  return [invalidValue(`${at}.optionalOldSelf`, rule.optionalOldSelf, why)]
}

const messageExpressionFaults = (rule: ValidationRule, at: string, environment: Environment): FieldFault[] => {
  if (!rule.messageExpression) return []
  const { fault, type } = compiled(rule.messageExpression, environment)
  if (fault === undefined && type === 'string') return []
  const why = fault === undefined ? 'must evaluate to a string' : `compilation failed: ${fault}`
  return [faultOf(`${at}.messageExpression`, goStruct(rule), `messageExpression ${why}`)]
}

/** The rule in the API server's message: Go writes its struct as JSON. */
const goStruct = (rule: ValidationRule): string =>
  JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }).replaceAll(/[<>&]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`)

const faultOf = (field: string, shown: string, why: string): FieldFault => ({
  reason: 'FieldValueInvalid',
  field,
  detail: `Invalid value: ${shown}: ${why}`,
})

const step = /\.([A-Za-z_][A-Za-z0-9_]*)|\['((?:[^'\\]|\\.)*)'\]/y

/** Whether the schema declares the path. A path cannot lead into a list. */
const isFieldPath = (path: string, schema: Schema): boolean => {
  let current: Schema | undefined = schema
  step.lastIndex = 0
  for (let end = 0; end < path.length; end = step.lastIndex) {
    const found = step.exec(path)
    if (!found || !current) return false
    current = memberOf(current, found[1] ?? (found[2] ?? '').replaceAll(/\\(.)/g, '$1'))
  }
  return current !== undefined
}
