// Makes the image of the Dockerfile without a container engine, as an OCI archive, with its SBOM beside it.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import manifest from '../../../package.json' with { type: 'json' }
import { standIns } from './bases.ts'
import { type Buildah, buildahIn, requireImageTools } from './buildah.ts'
import { baseImages, buildArguments, type Origin, sbomOfCommit } from './recipe.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
/** Kept between runs, so that base images are unpacked once. */
const store = join(root, '.espalier', 'image')
const certificates = '/etc/ssl/certs/ca-certificates.crt'

export type Image = {
  /** The name in archive and store, such as `espalier:0.1.0`. */
  readonly name: string
  readonly archive: string
  readonly sbom: string
  readonly digest: string
  /** The names of the base images that stand-ins replaced. */
  readonly standIns: readonly string[]
  readonly buildah: Buildah
}

/** Writes archive and SBOM into the folder. */
export const makeImage = async (into: string): Promise<Image> => {
  mkdirSync(into, { recursive: true })
  const name = `espalier:${manifest.version}`
  const [archive = '', digestFile = '', sbom = ''] = ['tar', 'digest', 'cdx.json'].map(ending =>
    join(into, `espalier-${manifest.version}.${ending}`),
  )
  const built = await buildImage({ checkout: root, origin: await originOfCheckout(), name, archive, digestFile })
  writeFileSync(sbom, await sbomHere())
  return { name, archive, digest: readFileSync(digestFile, 'utf8').trim(), sbom, ...built }
}

type Build = {
  /** The folder with the Dockerfile. */
  readonly checkout: string
  readonly origin: Origin
  readonly name: string
  readonly archive: string
  readonly digestFile: string
}

/** Builds the image of a checkout and writes archive and digest. */
export const buildImage = async (build: Build): Promise<Pick<Image, 'standIns' | 'buildah'>> => {
  const { checkout, origin, name, archive, digestFile } = build
  await requireImageTools()
  const names = baseImages(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))
  mkdirSync(store, { recursive: true })
  const buildah = buildahIn(store, checkout)
  for (const [name, archive] of await standIns(names)) {
    const id = await buildah('pull', '--quiet', `oci-archive:${archive}`)
    await buildah('tag', id, name)
  }
  const mounted = existsSync(certificates) ? [`--volume=${certificates}:${certificates}:ro`] : []
  await buildah(...buildArguments(origin, name), ...mounted, '.')
  rmSync(archive, { force: true })
  await buildah('push', '--quiet', '--digestfile', digestFile, name, `oci-archive:${archive}:${nameOnNodes(name)}`)
  return { standIns: Object.values(names), buildah }
}

/** The name that Kubernetes gives an image without a registry. With this name, a node only needs an import. */
const nameOnNodes = (name: string): string => `docker.io/library/${name}`

/** The SBOM, in CycloneDX, of the packages that programs in the image are bundled from. */
export const sbomHere = async (): Promise<string> => {
  const asked = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { stdout } = await run('npm', asked, { cwd: root, maxBuffer: 2 ** 26 })
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { seconds } = await originOfCheckout()
  return sbomOfCommit(stdout, lock, seconds)
}

/** `SOURCE_DATE_EPOCH` overrides the time of the commit. The revision says if the checkout has changes. */
const originOfCheckout = async (): Promise<Origin> => {
  const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: root })).stdout.trim()
  const changes = await git('status', '--porcelain')
  const revision = `${await git('rev-parse', 'HEAD')}${changes === '' ? '' : '-changed'}`
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? (await git('log', '-1', '--format=%ct')))
  return { version: manifest.version, revision, seconds }
}
