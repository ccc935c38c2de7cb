// Parses names of artifacts, such as `oci://registry.example.com/charts/shop`, finds the registry's server, and the credentials in a dockerconfigjson
// Secret, by the rules of container runtimes. Faults do not quote the text of the Secret.
import { isMap, isText, type JsonMap } from '../../core/json/json.ts'
import { withoutSlashesAtEnd, withoutUser } from '../../core/text/text.ts'
import { ArtifactError } from '../artifact-error.ts'
import { jsonIn } from './manifest.ts'

/** `repository`: with or without `oci://`. A tag may move; a digest never changes its content. */
export type OciReference = { readonly repository: string; readonly tag?: string; readonly digest?: string }

export type Repository = {
  /** Scheme, host and port, in the spelling of the class URL. */
  readonly origin: string
  /** Host and port as written, for comparison with Secrets. */
  readonly registry: string
  readonly name: string
}

/** undefined for an invalid text. Registries in `plain` (`host:port`) have no TLS. */
export const repositoryOf = (text: string, plain: readonly string[]): Repository | undefined => {
  const { registry, name } = /^(oci:\/\/)?(?<registry>[^/@?#]+)\/(?<name>[^@?#]+)$/.exec(text)?.groups ?? {}
  if (registry === undefined || name === undefined || !isName(name)) return undefined
  const url = URL.parse(`${plain.includes(registry) ? 'http' : 'https'}://${serverOf(registry)}`)
  return url?.pathname === '/' ? { origin: url.origin, registry, name } : undefined
}

/** Of Docker Hub's three names only `registry-1.docker.io` answers. */
const serverOf = (registry: string): string =>
  /^(index\.)?docker\.io(:443)?$/i.test(registry) ? 'registry-1.docker.io' : registry

const isName = (text: string): boolean =>
  text.split('/').every(part => /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/.test(part))

/** For messages: the reference without password, such as `registry.example.com/charts/shop:1.2.3`. */
const referenceText = ({ repository, tag, digest }: OciReference): string =>
  `${withoutUser(repository.replace(/^oci:\/\//, ''))}${digest === undefined ? `:${tag}` : `@${digest}`}`

export const withName = async <T>(reference: OciReference, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    const message = `${referenceText(reference)} cannot be pulled: ${error.message}`
    throw new ArtifactError(error.reason, message, error.retryAfterSeconds)
  }
}

export type RegistryCredentials = { readonly username: string; readonly password: string } | { readonly token: string }

/** `credentials` is undefined when the file has no entry for this repository. */
type CredentialsVerdict = { credentials: RegistryCredentials | undefined } | { fault: string }

/** undefined without a Secret. Throws an ArtifactError for a malformed Secret. */
export const credentialsFor = (
  repository: Repository,
  dockerConfig: string | undefined,
): RegistryCredentials | undefined => {
  if (dockerConfig === undefined) return undefined
  const verdict = credentialsIn(dockerConfig, repository)
  if ('fault' in verdict) throw new ArtifactError('refused', verdict.fault)
  return verdict.credentials
}

/** The most specific entry counts. Example: for `ghcr.io/shop/web`, `ghcr.io/shop` wins over `ghcr.io`. */
export const credentialsIn = (dockerConfig: string, repository: Repository): CredentialsVerdict => {
  const config = jsonIn(dockerConfig)
  if (!isMap(config) || !isMap(config.auths)) return { fault: 'the Secret contains no JSON object with auths' }
  const place = underOneName(`${repository.registry}/${repository.name}`)
  const [best] = Object.entries(config.auths)
    .map(([name, entry]) => ({ name: underOneName(plainName(name)), entry }))
    .filter(({ name }) => place === name || place.startsWith(`${name}/`))
    .sort((a, b) => b.name.length - a.name.length)
  return best ? fromEntry(best.entry) : { credentials: undefined }
}

/** `https://registry.example.com/v2/` is an old spelling of `registry.example.com`. */
const plainName = (name: string): string =>
  withoutSlashesAtEnd(name.replace(/^https?:\/\//, '')).replace(/\/v[12]$/, '')

/** Docker Hub has three names. Uses one of them. */
const underOneName = (place: string): string => place.replace(/^[^/]+/, serverOf)

const fromEntry = (entry: unknown): CredentialsVerdict => {
  if (!isMap(entry)) return { fault: 'the entry of the Secret for the registry is not an object' }
  if (isText(entry.registrytoken)) return { credentials: { token: entry.registrytoken } }
  const credentials = named(entry) ?? joined(entry.auth)
  return credentials
    ? { credentials }
    : { fault: 'the Secret has neither username and password nor auth for the registry' }
}

const named = ({ username, password }: JsonMap): RegistryCredentials | undefined =>
  isText(username) && isText(password) ? { username, password } : undefined

const joined = (auth: unknown): RegistryCredentials | undefined => {
  const [, username, password] = isText(auth)
    ? (/^([^:]+):(.+)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [])
    : []
  return username && password ? { username, password } : undefined
}
