// Finds credentials for a repository in a dockerconfigjson Secret, by the rules of container runtimes. Faults do not quote the text of the
// Secret.
import { isMap, isText, type JsonMap } from '../../core/json/json.ts'
import { withoutSlashesAtEnd } from '../../core/text/text.ts'
import { ArtifactError } from '../artifact-error.ts'
import { jsonIn } from './json-text.ts'
import { type Repository, serverOf } from './reference.ts'

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
