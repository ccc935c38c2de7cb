// Reads the name of an artifact, such as `oci://registry.example.com/charts/shop`, and finds the server of its registry.
import { withoutUser } from '../../core/text/text.ts'
import { ArtifactError } from '../artifact-error.ts'

/** `repository` is written with or without `oci://`. A tag may move to another artifact, a digest always names the same. */
export type OciReference = { readonly repository: string; readonly tag?: string; readonly digest?: string }

export type Repository = {
  /** Scheme, host and port of the registry's server, as URL spells them. */
  readonly origin: string
  /** Host and port as written, by which Secrets name their entries. */
  readonly registry: string
  readonly name: string
}

/** undefined when the text is no registry and repository. A registry in `plain` (`host:port`) is asked without TLS. */
export const repositoryOf = (text: string, plain: readonly string[]): Repository | undefined => {
  const { registry, name } = /^(oci:\/\/)?(?<registry>[^/@?#]+)\/(?<name>[^@?#]+)$/.exec(text)?.groups ?? {}
  if (registry === undefined || name === undefined || !isName(name)) return undefined
  const url = URL.parse(`${plain.includes(registry) ? 'http' : 'https'}://${serverOf(registry)}`)
  return url?.pathname === '/' ? { origin: url.origin, registry, name } : undefined
}

/** Docker Hub has three names, of which only `registry-1.docker.io` answers. */
export const serverOf = (registry: string): string =>
  /^(index\.)?docker\.io(:443)?$/i.test(registry) ? 'registry-1.docker.io' : registry

const isName = (text: string): boolean =>
  text.split('/').every(part => /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/.test(part))

/** As people write it, without a password: `registry.example.com/charts/shop:1.2.3`. */
const referenceText = ({ repository, tag, digest }: OciReference): string =>
  `${withoutUser(repository.replace(/^oci:\/\//, ''))}${digest === undefined ? `:${tag}` : `@${digest}`}`

export const isDigest = (text: unknown): text is string =>
  typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text)

// Puts the name of an artifact before the message of what went wrong with it.

/** Rejects with the ArtifactError of `work`, which then names the artifact. */
export const withName = async <T>(reference: OciReference, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    const message = `${referenceText(reference)} cannot be pulled: ${error.message}`
    throw new ArtifactError(error.reason, message, error.retryAfterSeconds)
  }
}
