// Removes secrets from objects and texts: values of the Secrets that were read, wherever they occur, and fields whose names indicate a
// secret. Pure.
import { isMap, isText, mapOrEmpty } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { secretText } from '../../core/objects/secret-text.ts'
import { withoutUser } from '../../core/text/text.ts'

export const redacted = '(redacted)'

/** Shorter values, such as `true` or a port, would be found in many harmless places. */
const lettersLeast = 6

type Redaction = { redactedObject(object: KubeObject): KubeObject; redactedText(text: string): string }

export const redaction = (secrets: readonly KubeObject[]): Redaction => {
  const namespaces = new Set(secrets.map(({ metadata }) => metadata.namespace))
  const values = secrets.flatMap(secret =>
    Object.entries(mapOrEmpty(secret.data)).flatMap(([key, encoded]) => {
      const text = secretText(secret, key)
      return namespaces.has(text.trim()) ? [] : [String(encoded), text, text.trim(), ...secretsIn(text)]
    }),
  )
  const forms = values.filter(({ length }) => length >= lettersLeast).flatMap(value => [value, escapedInJson(value)])
  // Longest first, because a value may be a part of another value.
  const all = [...new Set(forms)].sort((one, other) => other.length - one.length)
  const redactedText = (text: string): string =>
    withoutTypical(all.reduce((rest, value) => rest.replaceAll(value, redacted), text))
  return {
    redactedObject: object => redactedIn(object, redactedText) as KubeObject,
    redactedText,
  }
}

/** Hides typical secrets, even if no Secret contains them: web tokens, users in URLs, and values of arguments such as `--db-password=x`. */
const withoutTypical = (text: string): string =>
  text
    .replaceAll(/\beyJ[\w-]{8,}(\.[\w-]{8,}){1,2}/g, redacted)
    .replaceAll(/:\/\/[^\s/@"']+@/g, `://${redacted}@`)
    .replaceAll(/(--?([\w.-]+)=)(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)/g, (all, flag, name) =>
      isTelling.test(name) ? flag + redacted : all,
    )

/** The text as JSON writes it, because annotations and logs may contain JSON. */
const escapedInJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Letters with digits, such as base64 (also in PEM) and hexadecimal text. */
const token = /^(?=.*\d)(?=.*[a-z])[\w+/=-]{16,}$/i

const webToken = /^[\w-]{10,}(\.[\w-]{10,}){1,2}$/

/** A line with only one word, which has letters and digits. */
const password = /^(?=\S*\d)(?=\S*[a-z])\S*[^\s:]$/i

/** `token: VALUE`, `"password": "VALUE"`, `DB_PASSWORD=VALUE` */
const pair =
  /(?:pass(?:word|wd|phrase)?|secret|token|credentials?|private.?key|api.?key|key-data)["']?[ \t]*[:=][ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"'{[][^\n]*))/gi

/** Hides parts of a setting's value: the user of a URL, tokens, and values after names such as `password`. */
export const withoutSecrets = (value: string): string =>
  [...value.split(/[\s"',:{}[\]]+/).filter(word => webToken.test(word)), ...pairsIn(value)]
    .filter(Boolean)
    .reduce((rest, secret) => rest.replaceAll(secret, redacted), withoutUser(value))

const pairsIn = (text: string): string[] => [...text.matchAll(pair)].map(([, ...values]) => values.join('').trim())

/** The parts to redact of a file in a Secret. Other lines stay: a line such as `kind: ConfigMap` also occurs in files without secrets. */
const secretsIn = (text: string): string[] => {
  const lines = text
    .trim()
    .split('\n')
    .map(line => line.trim())
  const words = text.split(/[\s"',:{}[\]]+/).filter(word => token.test(word) || webToken.test(word))
  return [...words, ...lines.filter(line => password.test(line)), ...pairsIn(text)]
}

/** Names of fields with secret values. */
export const isTelling = /(pass(word|wd|phrase)?|secret|token|kubeconfig)$|credential|private.?key|api.?key/i

/** Fields that are not secret even below a field such as `credentials`: they refer to a secret, or describe its rotation. */
const isHarmless =
  /^(apiVersion|kind|name|namespace|secretName|path|mode|defaultMode|expirationSeconds|phase|type)$|Time$/

/** Hides all texts and numbers below a field with a secret name. Booleans stay. */
const hidden = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hidden)
  if (isMap(value))
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [
        field,
        isHarmless.test(field) && !isMap(inner) && !Array.isArray(inner) ? inner : hidden(inner),
      ]),
    )
  return isText(value) || typeof value === 'number' ? redacted : value
}

/** YAML indents or escapes these characters, so text with such characters is redacted before the conversion to YAML. */
const isWrittenOtherwise = /["'\\\p{Cc}]/u

const valuesOfSecrets = new Set(['data', 'stringData'])

/** In environment variables, the name is in a field beside the value. Also handles whole Secrets inside a Component. */
const redactedIn = (value: unknown, redactedText: Redaction['redactedText']): unknown => {
  if (typeof value === 'string') return isWrittenOtherwise.test(value) ? redactedText(value) : value
  if (Array.isArray(value)) return value.map(item => redactedIn(item, redactedText))
  if (!isMap(value)) return value
  const isVariable = isText(value.name) && isTelling.test(value.name)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => field !== 'kubectl.kubernetes.io/last-applied-configuration' && field !== 'managedFields')
      .map(([field, inner]) => {
        if (value.kind === 'Secret' && valuesOfSecrets.has(field)) return [field, withoutValues(inner)]
        const isSecret = isTelling.test(field) || (isVariable && field === 'value')
        return [field, redactedIn(isSecret ? hidden(inner) : inner, redactedText)]
      }),
  )
}

const withoutValues = (data: unknown): unknown =>
  isMap(data) ? Object.fromEntries(Object.keys(data).map(key => [key, redacted])) : redacted
