// Talks to a registry about one repository: authenticates when it asks for that, and follows its redirects. pull.ts decides what is asked
// for.
import { ArtifactError } from '../artifact-error.ts'
import { authorizationFor, firstAuthorization } from './authorization.ts'
import type { RegistryCredentials } from './credentials.ts'
import type { RegistryRules } from './hosts.ts'
import type { Repository } from './reference.ts'
import {
  type ArtifactAnswer,
  type ArtifactRequest,
  artifactAnswer,
  artifactBody,
  headerOf,
  type RequestRules,
} from './request.ts'

export type RegistrySession = {
  /** The answer to a successful request. Throws ArtifactError for every other one. */
  ask(ask: SessionRequest): Promise<SessionAnswer>
}

type SessionRequest = ArtifactRequest & {
  /** Below the repository: `manifests/1.2.3`. */
  readonly path: string
}

type SessionAnswer = {
  /** The digest that the registry claims in Docker-Content-Digest. */
  readonly digest: string | undefined
  readonly body: Uint8Array
}

type SessionParts = {
  readonly repository: Repository
  readonly credentials: RegistryCredentials | undefined
  readonly rules: RegistryRules
  readonly signal: AbortSignal
}

/** Authenticates at the registry's first 401, and shows the same header from then on. */
export const registrySession = ({ repository, credentials, rules, signal }: SessionParts): RegistrySession => {
  const scope = `repository:${repository.name}:pull`
  let authorization = firstAuthorization(credentials)
  const from = repository.origin
  const send = (question: SessionRequest) =>
    followed(`${from}/v2/${repository.name}/${question.path}`, question, { rules, signal, authorization, from })
  return {
    ask: async question => {
      let { answer, origin } = await send(question)
      // Only the registry's own 401 is answered with credentials, not that of a host to which it redirects.
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
 * Follows redirects: registries may keep blobs elsewhere, and manifests too (registry.k8s.io has none of its own). Another origin
 * gets no credentials. No digest proves which artifact a tag means, so a redirect must not lead from TLS to plain HTTP, where anybody
 * on the way could answer.
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
    throw new ArtifactError('refused', 'the registry sends us where we do not follow')
  const authorization = target.origin === origin ? asking.authorization : undefined
  return followed(target.href, question, { ...asking, authorization }, redirects + 1)
}

const leavesTls = (from: string, to: URL): boolean => from.startsWith('https:') && to.protocol !== 'https:'
