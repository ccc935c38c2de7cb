// Parses names of artifacts, such as `oci://registry.example.com/charts/shop`, and finds the registry's server.
import { withoutUser } from '../../core/text/text.ts'
import { ArtifactError } from '../artifact-error.ts'

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
export const serverOf = (registry: string): string =>
  /^(index\.)?docker\.io(:443)?$/i.test(registry) ? 'registry-1.docker.io' : registry

const isName = (text: string): boolean =>
  text.split('/').every(part => /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/.test(part))

/** For messages: the reference without password, such as `registry.example.com/charts/shop:1.2.3`. */
const referenceText = ({ repository, tag, digest }: OciReference): string =>
  `${withoutUser(repository.replace(/^oci:\/\//, ''))}${digest === undefined ? `:${tag}` : `@${digest}`}`

export const isDigest = (text: unknown): text is string =>
  typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text)

export const withName = async <T>(reference: OciReference, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    const message = `${referenceText(reference)} cannot be pulled: ${error.message}`
    throw new ArtifactError(error.reason, message, error.retryAfterSeconds)
  }
}
