// `npm run test:node [-- files…]`: the image of this commit, and Espalier on a real node: kubelet, containerd and runc beside the control
// plane of the cluster tests, in namespaces of their own. It needs root, Linux with cgroups v1, Go, and programs of Debian, which it installs where
// apt-get is. For before a release, not in CI. Files run one after the other; the TAP of each is kept in .espalier/tap. The upgrade starts
// from the last tag, or from the commit that ESPALIER_UPGRADE_FROM names.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildNodePrograms } from '../control-plane/binaries.ts'
import { requirePrograms } from '../image/buildah.ts'
import { formerRelease } from '../image/former.ts'
import { makeImage } from '../image/image.ts'
import { runApart } from '../node/apart.ts'
import { makeTestImages } from '../node/images.ts'
import { oracles } from '../oracles.ts'
import { removeAbandonedScratch, removeOwnScratch } from '../processes/scratch.ts'
import { runRooms, skipsFail } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const say = (line: string): void => {
  process.stdout.write(`# ${line}\n`)
}

/** Programs of Debian, each with its package. */
const needs = {
  ...{ buildah: 'buildah', debootstrap: 'debootstrap', runc: 'runc', busybox: 'busybox-static' },
  ...{ containerd: 'containerd', ctr: 'containerd', nft: 'nftables', conntrack: 'conntrack', ip: 'iproute2' },
  '../lib/cni/ptp': 'containernetworking-plugins',
} as const

/** This looks at the image only, and needs the registry of npm. */
const ofImage = 'tests/node/image.test.ts'
const ofUpgrade = 'tests/node/upgrade.test.ts'
const isApart = process.argv[2] === '--apart'
const asked = process.argv.slice(isApart ? 3 : 2)
const files = asked.length > 0 ? asked : globSync('tests/node/**/*.test.ts', { cwd: root }).sort()

const ran = (file: string): Promise<number> =>
  runRooms({
    rooms: [[file]],
    tapFile: `${basename(file, '.test.ts')}.tap`,
    jobs: 1,
    env: () => ({ ...skipsFail, ESPALIER_CLUSTER: 'real' }),
  })

/** Each file gets a new machine. Returns an exit code. */
const prepareAndRun = async (): Promise<number> => {
  await requirePrograms(needs)
  await removeAbandonedScratch()
  let code = files.includes(ofImage) ? await ran(ofImage) : 0
  const onNode = files.filter(file => file !== ofImage)
  if (onNode.length === 0) return code
  await buildNodePrograms(say)
  await oracles()
  const folder = join(root, 'dist', 'image')
  const { archive } = await makeImage(folder)
  const archives = [archive, ...(await makeTestImages(folder))]
  const env = {
    ...process.env,
    PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
    ESPALIER_NODE_IMAGES: archives.join(':'),
    ESPALIER_NODE_FORMER: files.includes(ofUpgrade) ? await formerRelease() : '',
  }
  for (const file of onNode)
    code = (await runApart(process.execPath, [import.meta.filename, '--apart', file], env)) || code
  if (code === 0) await removeOwnScratch()
  return code
}

try {
  process.exitCode = isApart ? await ran(asked[0] ?? '') : await prepareAndRun()
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
