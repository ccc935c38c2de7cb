// Sends one request for an artifact, with limits on time and bytes. `refusals` maps HTTP statuses other than 200 to ArtifactErrors.
import type { Dispatcher } from 'undici'
import { GrowingBytes } from '../../core/bounds/growing-bytes.ts'
import { interimAnswers } from '../../core/bounds/interim-answers.ts'
import { firstRow } from '../../core/decisions/first-row.ts'
import { ArtifactError, type ArtifactReason } from '../artifact-error.ts'
import type { RegistryRules } from './hosts.ts'

export type ArtifactRequest = {
  readonly method: 'GET' | 'HEAD'
  readonly accept?: string
  readonly bytesMost: number
}

export type RequestRules = {
  readonly rules: RegistryRules
  readonly signal: AbortSignal
  readonly authorization: string | undefined
  /** The registry of the first request. Answers after redirects count for this registry. */
  readonly from: string
}

export type ArtifactAnswer = Dispatcher.ResponseData

/** Returns answers of any status. Throws ArtifactError if no answer arrives or the URL is forbidden. */
export const artifactAnswer = async (
  url: string,
  { method, accept }: ArtifactRequest,
  asking: RequestRules,
): Promise<ArtifactAnswer> => {
  const { rules, authorization, signal } = asking
  const to = new URL(url)
  const fault = rules.faultOf(to)
  if (fault) throw new ArtifactError('refused', fault)
  const headers = { ...(accept && { accept }), ...(authorization && { authorization }) }
  try {
    const onInfo = interimAnswers(message => new ArtifactError('unavailable', message))
    const path = to.pathname + to.search
    return await rules.dispatcher.request({ origin: to.origin, path, method, headers, signal, onInfo })
  } catch (error) {
    throw lost(error)
  }
}

/** Throws ArtifactError for any status other than 200. */
export const artifactBody = async (
  answer: ArtifactAnswer,
  { bytesMost }: ArtifactRequest,
  asking: RequestRules,
): Promise<Uint8Array> => {
  if (answer.statusCode === 200) return bytesOf(answer, bytesMost, asking)
  await answer.body.dump()
  throw refusalOf(answer, asking.authorization === undefined)
}

export const headerOf = ({ headers }: ArtifactAnswer, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The body counts against the memory limit only while it arrives. */
const bytesOf = async (
  { body }: ArtifactAnswer,
  bytesMost: number,
  { rules, from }: RequestRules,
): Promise<Uint8Array> => {
  const bytes = new GrowingBytes(bytesMost)
  const place = rules.room.enter(from, () => body.destroy(outOfRoom()))
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      const size = bytes.sizeWith(piece.length)
      if (size === undefined) throw new ArtifactError('tooLarge', `an answer has more than ${bytesMost} bytes`)
      if (!place.takes(size)) throw outOfRoom()
      bytes.add(piece)
    }
    return bytes.bytes
  } catch (error) {
    throw lost(error)
  } finally {
    place.leave()
  }
}

const outOfRoom = () =>
  new ArtifactError(
    'unavailable',
    'the responses of registries together exceed the memory limit, and this registry sends most',
  )

/** Limit for `Retry-After`: one hour. */
const pauseSecondsMost = 3_600

const refusalOf = (answer: ArtifactAnswer, isAnonymous: boolean): ArtifactError => {
  const { statusCode } = answer
  const { reason, sentence } = firstRow(refusals, statusCode)
  const shown = reason === 'unauthorized' && isAnonymous ? ', which got no credentials' : ''
  const seconds = Number(headerOf(answer, 'retry-after'))
  return new ArtifactError(
    reason,
    `the registry ${sentence} (${statusCode})${shown}`,
    seconds > 0 ? Math.min(seconds, pauseSecondsMost) : undefined,
  )
}

type Refusal = { when: (code: number) => boolean; reason: ArtifactReason; sentence: string }

const refusals: readonly Refusal[] = [
  { when: code => code === 401 || code === 403, reason: 'unauthorized', sentence: 'denies access' },
  { when: code => code === 404, reason: 'notFound', sentence: 'has no such repository, tag or digest' },
  { when: code => code === 429, reason: 'unavailable', sentence: 'got too many requests' },
  { when: code => code >= 500, reason: 'unavailable', sentence: 'is in trouble' },
  { when: () => true, reason: 'unreadable', sentence: 'sent an invalid response' },
]

/** Uses only the error code, because the message may quote the request. */
const lost = (error: unknown): unknown => {
  if (error instanceof ArtifactError || !(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return new ArtifactError('unreachable', `the registry cannot be reached (${code})`)
}
