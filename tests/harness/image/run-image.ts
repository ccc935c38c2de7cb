// `npm run image`: makes the image of the Dockerfile where no container engine is, for example to import it into a node:
//   ctr -n k8s.io images import dist/image/espalier-0.1.0.tar
// It needs Linux, root, and Debian's packages buildah and debootstrap, which it installs where apt-get is.
import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { makeImage } from './image.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

try {
  const { name, archive, digest, sbom, standIns } = await makeImage(join(root, 'dist', 'image'))
  say(`${name} ${digest}`)
  say(`${relative(root, archive)}: ${(statSync(archive).size / 1e6).toFixed(1)} MB packed`)
  say(`${relative(root, sbom)}: the packages in it`)
  say(`Stand-ins of ${standIns.join(' and ')} were below it, made of Debian's packages and the Node of npm:`)
  say(
    'use this image for tests. An image for others is built from the real ones, with the digests that the Dockerfile asks for.',
  )
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
