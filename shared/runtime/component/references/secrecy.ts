// Keeps text of Secrets out of statuses, Events and logs. If a rendering uses a Secret, messages do not quote rendered text. Messages that
// contain a word of a referenced Secret are left out.
import { isMap, mapOrEmpty } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { ApiError, ConnectionError } from '../../../kube/errors.ts'
import { withoutQuotes } from '../../../kube/writes/unquoted-errors.ts'
import { blameText, type Findings, RenderError } from '../../../render/generator.ts'
import { RendererBusy } from '../../renderer/renderer.ts'
import type { Referred } from './references.ts'

export type Secrecy = {
  /** The rendering uses a Secret, from a reference or a lookup. */
  readonly isConfidential: boolean
  /** Words with at least eight letters in referenced Secrets, and credentials of the kubeconfig. */
  readonly words: readonly string[]
}

type ComponentSecrets = { readonly secrecy: Secrecy; readonly component: KubeObject }

export const noSecrets: Secrecy = { isConfidential: false, words: [] }

export const secrecyOf = (references: Iterable<Referred>): Secrecy => {
  const secrets = [...references].filter(({ isSecret }) => isSecret)
  return {
    isConfidential: secrets.length > 0,
    words: [...new Set(secrets.flatMap(({ value }) => wordsIn(textOf(value))))],
  }
}

export const withSecret = ({ isConfidential, words }: Secrecy, { isSecret, value }: Referred): Secrecy =>
  isSecret ? { isConfidential, words: [...words, ...wordsIn(textOf(value))] } : { isConfidential, words }

/** Credentials of a kubeconfig. A cluster or proxy may repeat them in an error. Host and names are not secret. */
export const kubeconfigCredentials = (kubeconfig: string): string[] =>
  [...kubeconfig.matchAll(/\b(?:token|client-key-data|password)["']?\s*:\s*["']?([^\s"',}]+)/g)]
    .flatMap(([, credential = '']) => credential)
    .filter(credential => credential.length >= lettersLeast)

/** The text of one key, or all keys of an object. */
const textOf = (value: unknown): string => {
  const { data } = mapOrEmpty(value)
  if (!isMap(data)) return String(value)
  return Object.values(data)
    .map(base64 => Buffer.from(String(base64), 'base64').toString())
    .join('\n')
}

/** Shorter words appear in messages by chance. */
const lettersLeast = 8
const wordsMost = 1_000

/** Distinct words without field names and YAML comments: `password: hunter2hunter2` has one word. */
const wordsIn = (text: string): string[] => {
  const words = withoutRemarks(text)
    .replaceAll(/"[^"\n]*"[ \t]*:/g, ' ')
    .split(/[\s"'`,;{}[\]()<>]+/)
    .filter(word => word.length >= lettersLeast && !word.endsWith(':'))
  return [...new Set(words)].slice(0, wordsMost)
}

/** Removes YAML comments: messages may contain their words. Inside a block scalar (`config: |`), a line with # is not a comment. */
const withoutRemarks = (text: string): string => {
  let outside = Number.POSITIVE_INFINITY
  const isKept = (line: string): boolean => {
    const indent = line.search(/\S|$/)
    if (indent > outside || line.trim() === '') return true
    if (/^\s*#+(\s|$)/.test(line)) return false
    outside = /[|>][-+\d]{0,2}\s*(#.*)?$/s.test(line) ? indent : Number.POSITIVE_INFINITY
    return true
  }
  return text.split('\n').filter(isKept).join('\n')
}

export const holdsSecrets = (found: Findings): boolean => [...found.values()].flat().some(isSecret)

const isSecret = (object: KubeObject | undefined): boolean => object?.apiVersion === 'v1' && object.kind === 'Secret'

/** Replaces a sentence that contains a word of a Secret, unless the component itself contains the word. */
export const discreet = (sentence: string, { secrecy: { words }, component }: ComponentSecrets): string => {
  const quoted = words.filter(word => sentence.includes(word))
  if (quoted.length === 0) return sentence
  const { metadata, spec, status } = component
  const open = JSON.stringify([metadata, spec, isMap(status) && status.inventory])
  return quoted.every(word => open.includes(word)) ? sentence : leftOut
}

const leftOut = 'The message quotes a Secret and is left out'

/** Removes the message of a rendering error that may quote Secrets. Keeps the class of the error, which decides about another attempt. */
export const withoutRendered = (error: unknown): unknown => {
  if (error instanceof RenderError)
    return error.quotesNoValues
      ? error
      : new RenderError(`${blameText(error.blame)}; ${because}`, { blame: error.blame })
  if (error instanceof RendererBusy) return error
  if (error instanceof ApiError) return withoutQuotes(error, unknownKind)
  if (error instanceof ConnectionError)
    return new ConnectionError(error.loss, error.code, `a lookup failed (${error.code}); ${because}`)
  const name = error instanceof Error ? error.name : typeof error
  return new Error(`rendering failed with an internal error (${name}); ${because}`)
}

const because = 'the message may quote a Secret and is left out'

/** A placeholder, because the kind of the lookup is unknown here. */
const unknownKind = { apiVersion: 'example.com/v1', kind: 'Unknown' }
