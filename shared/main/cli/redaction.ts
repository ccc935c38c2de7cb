// Takes what is secret out of objects and texts: values of the Secrets that were read, wherever they occur, and fields whose names say that
// they hold a secret. Pure.
import { isMap, isText, mapOrEmpty } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { secretText } from '../../core/objects/secret-text.ts'

const redacted = '(redacted)'

/** Shorter values, such as `true` or a port, would be found everywhere. */
const lettersLeast = 6

type Redaction = { redactedObject(object: KubeObject): KubeObject; redactedText(text: string): string }

export const redaction = (secrets: readonly KubeObject[]): Redaction => {
  const values = secrets.flatMap(secret =>
    Object.entries(mapOrEmpty(secret.data)).flatMap(([key, encoded]) => {
      const text = secretText(secret, key)
      return [text, ...text.split('\n').map(line => line.trim()), String(encoded)].filter(
        ({ length }) => length >= lettersLeast,
      )
    }),
  )
  // The longest first: one value may be a part of another.
  const all = [...new Set(values)].sort((one, other) => other.length - one.length)
  return {
    redactedObject: object => redactedIn(object.kind === 'Secret' ? withoutValues(object) : object) as KubeObject,
    redactedText: text => all.reduce((rest, value) => rest.replaceAll(value, redacted), text),
  }
}

const withoutValues = (secret: KubeObject): KubeObject => ({
  ...secret,
  data: Object.fromEntries(Object.keys(mapOrEmpty(secret.data)).map(key => [key, redacted])),
})

const isTelling = /pass(word|wd)?$|secret$|token$|credential|private.?key|api.?key|kubeconfig$/i

/** An environment variable has its name beside its value. */
const redactedIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(redactedIn)
  if (!isMap(value)) return value
  const isVariable = isText(value.name) && isTelling.test(value.name) && isText(value.value)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => field !== 'kubectl.kubernetes.io/last-applied-configuration' && field !== 'managedFields')
      .map(([field, inner]) => [
        field,
        (isVariable && field === 'value') || (isText(inner) && isTelling.test(field)) ? redacted : redactedIn(inner),
      ]),
  )
}
