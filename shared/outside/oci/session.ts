// A session with one repository of a registry: authenticates on demand, follows redirects, and limits time and bytes. `refusals` maps HTTP statuses
// other than 200 to ArtifactErrors.
import type { Dispatcher } from 'undici'
import { GrowingBytes } from '../../core/bounds/bytes.ts'
import { interimAnswers } from '../../core/bounds/counts.ts'
import { firstRow } from '../../core/decisions/checks.ts'
import { isMap } from '../../core/json/json.ts'
import { ArtifactError, type ArtifactReason } from '../artifact-error.ts'
import type { RegistryRules } from './hosts.ts'
import { jsonIn } from './manifest.ts'
import type { RegistryCredentials, Repository } from './reference.ts'

export type RegistrySession = {
  /** Throws ArtifactError unless the request succeeds. */
  ask(ask: SessionRequest): Promise<SessionAnswer>
}

type SessionRequest = ArtifactRequest & {
  /** Path below the repository, such as `manifests/1.2.3`. */
  readonly path: string
}

type SessionAnswer = {
  /** The registry's Docker-Content-Digest. */
  readonly digest: string | undefined
  readonly body: Uint8Array
}

type SessionParts = {
  readonly repository: Repository
  readonly credentials: RegistryCredentials | undefined
  readonly rules: RegistryRules
  readonly signal: AbortSignal
}

/** Authenticates at the first 401. Later requests use the same header. */
export const registrySession = ({ repository, credentials, rules, signal }: SessionParts): RegistrySession => {
  const scope = `repository:${repository.name}:pull`
  let authorization = firstAuthorization(credentials)
  const from = repository.origin
  const send = (question: SessionRequest) =>
    followed(`${from}/v2/${repository.name}/${question.path}`, question, { rules, signal, authorization, from })
  return {
    ask: async question => {
      let { answer, origin } = await send(question)
      // Credentials are sent only after a 401 of the registry itself, not after a 401 of a redirect's target.
      if (answer.statusCode === 401 && authorization === undefined && origin === from) {
        await answer.body.dump()
        const challenge = headerOf(answer, 'www-authenticate')
        authorization = await authorizationFor(challenge, { rules, signal, credentials, scope, from })
        answer = (await send(question)).answer
      }
      const body = await artifactBody(answer, question, { rules, signal, authorization, from })
      return { digest: headerOf(answer, 'docker-content-digest'), body }
    },
  }
}

const redirectsMost = 3

type Followed = { readonly answer: ArtifactAnswer; readonly origin: string }

/**
 * Follows redirects, because registries may store blobs and manifests on other hosts (registry.k8s.io). Other hosts get no credentials. A
 * redirect must not lead to http, because no digest proves the artifact of a tag, and an attacker in the network could answer.
 */
const followed = async (
  url: string,
  question: SessionRequest,
  asking: RequestRules,
  redirects = 0,
): Promise<Followed> => {
  const answer = await artifactAnswer(url, question, asking)
  const { origin } = new URL(url)
  const location = headerOf(answer, 'location')
  if (answer.statusCode < 300 || answer.statusCode >= 400 || location === undefined) return { answer, origin }
  await answer.body.dump()
  const target = URL.parse(location, url)
  if (redirects === redirectsMost || target === null || leavesTls(url, target))
    throw new ArtifactError('refused', 'the registry redirects to a host that is not allowed')
  const authorization = target.origin === origin ? asking.authorization : undefined
  return followed(target.href, question, { ...asking, authorization }, redirects + 1)
}

const leavesTls = (from: string, to: URL): boolean => from.startsWith('https:') && to.protocol !== 'https:'

// Makes the Authorization header that a 401 requests in WWW-Authenticate: Basic, or a token of the named issuer. Without credentials, the
// token is anonymous.
type Prover = Omit<RequestRules, 'authorization'> & {
  readonly credentials: RegistryCredentials | undefined
  /** Default scope of the token: `repository:charts/shop:pull`. */
  readonly scope: string
}

/** The header for this challenge; undefined when it requests no token and there are no credentials. */
const authorizationFor = async (challenge: string | undefined, prover: Prover): Promise<string | undefined> => {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(challenge ?? '') ?? []
  if (scheme.toLowerCase() !== 'bearer') return firstAuthorization(prover.credentials) ?? basic(prover.credentials)
  return `Bearer ${await tokenFor(parameters(rest.slice(0, challengeMost)), prover)}`
}

/** The header of the first request. If the Secret contains a token, no challenge is needed. */
const firstAuthorization = (credentials: RegistryCredentials | undefined): string | undefined =>
  credentials && 'token' in credentials ? `Bearer ${credentials.token}` : undefined

const challengeMost = 4096
const tokenQuestion = { method: 'GET', bytesMost: 64 * 1024 } as const

type Parameters = Partial<Record<string, string>>

const parameters = (text: string): Parameters =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=(?:"([^"]*)"|([^",\s]*))/g)].map(([, name = '', quoted, bare]) => [name, quoted ?? bare]),
  )

/** The distribution spec says: the issuer in the challenge (`realm`) gets the registry's credentials. */
const tokenFor = async ({ realm = '', service, scope }: Parameters, prover: Prover): Promise<string> => {
  const url = URL.parse(realm)
  if (url === null) throw new ArtifactError('unreadable', 'the registry specifies no token server')
  if (service) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope ?? prover.scope)
  const asking = { ...prover, authorization: basic(prover.credentials) }
  const given = jsonIn(await artifactBody(await artifactAnswer(url.href, tokenQuestion, asking), tokenQuestion, asking))
  const token = isMap(given) ? (given.token ?? given.access_token) : undefined
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ArtifactError('unreadable', 'the token server returned no token')
}

const basic = (credentials: RegistryCredentials | undefined): string | undefined =>
  credentials && 'username' in credentials
    ? `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
    : undefined

type ArtifactRequest = {
  readonly method: 'GET' | 'HEAD'
  readonly accept?: string
  readonly bytesMost: number
}

type RequestRules = {
  readonly rules: RegistryRules
  readonly signal: AbortSignal
  readonly authorization: string | undefined
  /** The registry of the first request. Answers after redirects count for this registry. */
  readonly from: string
}

type ArtifactAnswer = Dispatcher.ResponseData

/** Returns answers of any status. Throws ArtifactError if no answer arrives or the URL is forbidden. */
const artifactAnswer = async (
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
const artifactBody = async (
  answer: ArtifactAnswer,
  { bytesMost }: ArtifactRequest,
  asking: RequestRules,
): Promise<Uint8Array> => {
  if (answer.statusCode === 200) return bytesOf(answer, bytesMost, asking)
  await answer.body.dump()
  throw refusalOf(answer, asking.authorization === undefined)
}

const headerOf = ({ headers }: ArtifactAnswer, name: string): string | undefined => {
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
