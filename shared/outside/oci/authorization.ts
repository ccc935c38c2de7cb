// Makes the Authorization header that a registry asks for in the WWW-Authenticate header of its 401: Basic, or a token from the issuer
// that the header names. Without credentials the issuer is asked for an anonymous token.
import { isMap } from '../../core/json/json.ts'
import { ArtifactError } from '../artifact-error.ts'
import type { RegistryCredentials } from './credentials.ts'
import { jsonIn } from './json-text.ts'
import { artifactAnswer, artifactBody, type RequestRules } from './request.ts'

type Prover = Omit<RequestRules, 'authorization'> & {
  readonly credentials: RegistryCredentials | undefined
  /** The token's scope when the challenge names none: `repository:charts/shop:pull`. */
  readonly scope: string
}

/** The Authorization header after a 401 with this challenge; undefined when it asks for no token and there are no credentials. */
export const authorizationFor = async (challenge: string | undefined, prover: Prover): Promise<string | undefined> => {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(challenge ?? '') ?? []
  if (scheme.toLowerCase() !== 'bearer') return firstAuthorization(prover.credentials) ?? basic(prover.credentials)
  return `Bearer ${await tokenFor(parameters(rest.slice(0, challengeMost)), prover)}`
}

/** The Authorization header of the first request: a token from the Secret needs no challenge. */
export const firstAuthorization = (credentials: RegistryCredentials | undefined): string | undefined =>
  credentials && 'token' in credentials ? `Bearer ${credentials.token}` : undefined

const challengeMost = 4096
const tokenQuestion = { method: 'GET', bytesMost: 64 * 1024 } as const

type Parameters = Partial<Record<string, string>>

const parameters = (text: string): Parameters =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=(?:"([^"]*)"|([^",\s]*))/g)].map(([, name = '', quoted, bare]) => [name, quoted ?? bare]),
  )

/** The challenge names the issuer of tokens (`realm`). By the distribution spec it gets the registry's credentials. */
const tokenFor = async ({ realm = '', service, scope }: Parameters, prover: Prover): Promise<string> => {
  const url = URL.parse(realm)
  if (url === null) throw new ArtifactError('unreadable', 'the registry names no issuer of tokens')
  if (service) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope ?? prover.scope)
  const asking = { ...prover, authorization: basic(prover.credentials) }
  const given = jsonIn(await artifactBody(await artifactAnswer(url.href, tokenQuestion, asking), tokenQuestion, asking))
  const token = isMap(given) ? (given.token ?? given.access_token) : undefined
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ArtifactError('unreadable', 'the issuer of tokens gave none')
}

const basic = (credentials: RegistryCredentials | undefined): string | undefined =>
  credentials && 'username' in credentials
    ? `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
    : undefined
