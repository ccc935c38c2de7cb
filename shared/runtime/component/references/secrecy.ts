// What must not be told of a component because it comes from Secrets. Where one feeds the rendering, what is wrong is told without
// quoting what was rendered. The words of those Secrets are a second net: no sentence in which one of them stands is told.

import { isMap, mapOrEmpty } from '../../../core/json.ts'
import type { KubeObject } from '../../../core/object.ts'
import { ApiError, ConnectionError } from '../../../kube/errors.ts'
import { withoutQuotes } from '../../../kube/writes/unquoted-errors.ts'
import { blameText } from '../../../render/blame.ts'
import { type Findings, RenderError } from '../../../render/generator.ts'
import { RendererBusy } from '../../renderer/renderer.ts'
import type { ComponentView } from '../world.ts'
import type { Referred } from './references.ts'

export type Secrecy = {
  /** A Secret feeds the rendering, or was looked up by it. */
  readonly isConfidential: boolean
  /** Of the Secrets it refers to and of the kubeconfig, as far as they are long enough to be told from what is said anyway. */
  readonly words: readonly string[]
}

export const noSecrets: Secrecy = { isConfidential: false, words: [] }

export const secrecyOf = (references: Iterable<Referred>): Secrecy => {
  const secrets = [...references].filter(({ isSecret }) => isSecret)
  return {
    isConfidential: secrets.length > 0,
    words: [...new Set(secrets.flatMap(({ value }) => wordsIn(textOf(value))))],
  }
}

/** Together with what a Secret that was read later holds. */
export const withSecret = ({ isConfidential, words }: Secrecy, { isSecret, value }: Referred): Secrecy =>
  isSecret ? { isConfidential, words: [...words, ...wordsIn(textOf(value))] } : { isConfidential, words }

/** What a cluster, or whoever stands before it, might echo of a kubeconfig. Its host and its names are no credentials. */
export const credentialsIn = (kubeconfig: string): string[] =>
  [...kubeconfig.matchAll(/\b(?:token|client-key-data|password)["']?\s*:\s*["']?([^\s"',}]+)/g)]
    .flatMap(([, credential = '']) => credential)
    .filter(credential => credential.length >= lettersLeast)

/** Of one key, or of all keys of an object. */
const textOf = (value: unknown): string => {
  const { data } = mapOrEmpty(value)
  if (!isMap(data)) return String(value)
  return Object.values(data)
    .map(base64 => Buffer.from(String(base64), 'base64').toString())
    .join('\n')
}

/** Shorter ones are said by chance. */
const lettersLeast = 8
const wordsMost = 1_000

/** Names of fields are no secret: `password: hunter2hunter2` has one word. */
const wordsIn = (text: string): string[] =>
  text
    .replaceAll(/"[^"\n]*"[ \t]*:/g, ' ')
    .split(/[\s"'`,;{}[\]()<>]+/)
    .filter(word => word.length >= lettersLeast && !word.endsWith(':'))
    .slice(0, wordsMost)

/** Whether there is a Secret among what was looked up. */
export const holdsSecrets = (found: Findings): boolean => [...found.values()].flat().some(isSecret)

const isSecret = (object: KubeObject | undefined): boolean => object?.apiVersion === 'v1' && object.kind === 'Secret'

/** The sentence, unless a word of a Secret stands in it that is not in the component itself, which everybody may read. */
export const discreet = (
  sentence: string,
  { secrecy: { words }, component }: Pick<ComponentView, 'secrecy' | 'component'>,
): string => {
  const quoted = words.filter(word => sentence.includes(word))
  if (quoted.length === 0) return sentence
  const { metadata, spec, status } = component
  const open = JSON.stringify([metadata, spec, isMap(status) && status.inventory])
  return quoted.every(word => open.includes(word)) ? sentence : leftOut
}

const leftOut = 'What is to be said quotes a Secret and is left out'

/** What a rendering threw, fit to be told where it may know Secrets. Its kind stays: whether trying again may help is its matter. */
export const withoutRendered = (error: unknown): unknown => {
  if (error instanceof RenderError)
    return error.quotesNoValues
      ? error
      : new RenderError(`${blameText(error.blame)}; ${because}`, { blame: error.blame })
  if (error instanceof RendererBusy) return error
  if (error instanceof ApiError) return withoutQuotes(error, unknownKind)
  if (error instanceof ConnectionError)
    return new ConnectionError(error.loss, error.code, `a lookup was not answered (${error.code}); ${because}`)
  const name = error instanceof Error ? error.name : typeof error
  return new Error(`rendering ended in a fault of its own (${name}); ${because}`)
}

const because = 'the message may quote a Secret and is left out'

/** What was looked up may be of any. */
const unknownKind = { apiVersion: 'example.com/v1', kind: 'Unknown' }
