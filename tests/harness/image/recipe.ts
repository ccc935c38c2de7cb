// The content and labels of the image, for `npm run image` and for tests. Pure: the caller reads files and git.

/** The names of both base images of a Dockerfile: the defaults of its arguments. */
export const baseImages = (dockerfile: string): Readonly<{ build: string; base: string }> => {
  const defaultOf = (argument: string): string => {
    const [, value] = new RegExp(`^ARG ${argument}=(\\S+)$`, 'm').exec(dockerfile) ?? []
    if (value === undefined) throw new Error(`the Dockerfile has no line "ARG ${argument}=IMAGE"`)
    return value
  }
  return { build: defaultOf('BUILD_IMAGE'), base: defaultOf('BASE_IMAGE') }
}

/** What an image is made from. `seconds` is the time of the commit. */
export type Origin = { readonly version: string; readonly revision: string; readonly seconds: number }

/** Labels that change with every commit; those that never change are in the Dockerfile. */
export const originLabels = ({ version, revision, seconds }: Origin): Readonly<Record<string, string>> => ({
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': revision,
  'org.opencontainers.image.created': new Date(seconds * 1000).toISOString(),
})

/**
 * Arguments of `buildah bud` for a build that depends only on the checkout and the base images: no registry, no cache, no clock, and no label with
 * buildah's own version.
 */
export const buildArguments = (origin: Origin, tag: string): string[] => [
  ...['bud', '--quiet', '--isolation=chroot', '--pull=never', '--no-cache', '--format=oci'],
  ...['--identity-label=false', `--timestamp=${origin.seconds}`, `--tag=${tag}`],
  ...Object.entries(originLabels(origin)).map(([name, value]) => `--label=${name}=${value}`),
]

type Sbom = {
  readonly serialNumber?: string
  readonly metadata: { readonly timestamp?: string; readonly component: object }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}
type Lock = {
  readonly name: string
  readonly packages: Readonly<
    Record<string, { version?: string; name?: string; dev?: boolean; optional?: boolean; devOptional?: boolean }>
  >
}

/**
 * The part of npm's SBOM of all packages for those that programs are bundled from, as the lock file marks them. `npm sbom --omit=dev` would also omit
 * packages that development needs too. Random number, time and name of the folder are removed.
 */
export const sbomOfCommit = (json: string, { name, packages }: Lock, seconds: number): string => {
  const { serialNumber: _, ...sbom } = JSON.parse(json) as Sbom
  const bundled = new Set(
    Object.entries(packages)
      .filter(([, { dev, optional, devOptional }]) => !(dev || optional || devOptional))
      .map(([path, locked]) => `${locked.name ?? path.replace(/^.*node_modules\//, '')}@${locked.version}`),
  )
  const components = sbom.components.filter(component => bundled.has(component['bom-ref']))
  const dependencies = sbom.dependencies
    .filter(({ ref }) => bundled.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(other => bundled.has(other)) }))
  const timestamp = new Date(seconds * 1000).toISOString()
  const metadata = { ...sbom.metadata, timestamp, component: { ...sbom.metadata.component, name } }
  return `${JSON.stringify({ ...sbom, metadata, components, dependencies }, null, 2)}\n`
}
