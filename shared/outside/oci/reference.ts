// How an artifact in a registry is named, and where its registry is.

/** `repository` as people write it, `oci://` or not; a tag is looked up, a digest is the artifact. */
export type OciReference = { readonly repository: string; readonly tag?: string; readonly digest?: string }

export type Repository = {
  /** Scheme, host and port of the server that answers for the registry, as URLs are compared. */
  readonly origin: string
  /** Host and port as written, as credentials are filed under. */
  readonly registry: string
  /** Path in the registry. */
  readonly name: string
}

/** A registry in `plain` (host and port) is spoken to without TLS. undefined: this is no registry and repository. */
export const repositoryOf = (text: string, plain: readonly string[]): Repository | undefined => {
  const { registry, name } = /^(oci:\/\/)?(?<registry>[^/@?#]+)\/(?<name>[^@?#]+)$/.exec(text)?.groups ?? {}
  if (registry === undefined || name === undefined || !isName(name)) return undefined
  const url = URL.parse(`${plain.includes(registry) ? 'http' : 'https'}://${serverOf(registry)}`)
  return url?.pathname === '/' ? { origin: url.origin, registry, name } : undefined
}

/** Docker Hub goes by three names, of which one answers. */
export const serverOf = (registry: string): string =>
  /^(index\.)?docker\.io(:443)?$/i.test(registry) ? 'registry-1.docker.io' : registry

const isName = (text: string): boolean =>
  text.split('/').every(part => /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/.test(part))

/** As people write it: `registry.example.com/charts/shop:1.2.3`. */
export const referenceText = ({ repository, tag, digest }: OciReference): string =>
  `${repository.replace(/^oci:\/\//, '')}${digest === undefined ? `:${tag}` : `@${digest}`}`

export const isDigest = (text: unknown): text is string =>
  typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text)
