// Stand-ins for the two base images of the Dockerfile, for machines that reach Debian and npm but no registry of images. They contain the Node that
// `npm ci` brought and Debian's own libraries. They have the names of the real images, but only in their own store, never in a registry.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cachedFolder, platform } from '../control-plane/cache.ts'
import { buildahIn, hasMounts } from './buildah.ts'

export type Bases = { readonly build: string; readonly base: string }

const archives = { build: 'build.tar', base: 'base.tar' } as const
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** Both images as OCI archives, by name; made once per machine, in about two minutes. */
export const standIns = async (names: Bases): Promise<readonly (readonly [name: string, archive: string])[]> => {
  const sources = [...Object.values(containerfiles), ...libraries, process.version, ...Object.values(names)]
  const digest = createHash('sha256')
  for (const source of sources) digest.update(source)
  const name = `image-bases-${digest.digest('hex').slice(0, 8)}-${platform}`
  const folder = await cachedFolder(name, draft => makeBases(draft, names))
  return [
    [names.build, join(folder, archives.build)],
    [names.base, join(folder, archives.base)],
  ]
}

const makeBases = async (draft: string, names: Bases): Promise<void> => {
  process.stdout.write('# making stand-ins of the base images from Debian trixie, once per machine: about 2 min\n')
  const debian = join(draft, 'debian')
  const run = promisify(execFile)
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'trixie', debian], { maxBuffer: 2 ** 26 })
  if (hasMounts(debian)) throw new Error(`debootstrap left mounts in ${debian}: unmount them and remove the folder`)
  for (const left of ['dev', 'var/cache/apt', 'var/lib/apt/lists', 'var/log']) {
    rmSync(join(debian, left), { recursive: true, force: true })
    mkdirSync(join(debian, left), { recursive: true })
  }
  writeBuildBase(join(draft, 'build'))
  writeBase(join(draft, 'base'), debian)
  const buildah = buildahIn(join(draft, 'images'), draft)
  for (const which of ['build', 'base'] as const) {
    writeFileSync(join(draft, 'Containerfile'), containerfiles[which])
    const tag = `--tag=${names[which]}`
    await buildah(
      'bud',
      '--quiet',
      '--isolation=chroot',
      '--format=oci',
      '--timestamp=0',
      '-f',
      'Containerfile',
      tag,
      '.',
    )
    await buildah('push', '--quiet', names[which], `oci-archive:${join(draft, archives[which])}:${names[which]}`)
  }
  await buildah('rmi', '--all', '--force')
  const kept: string[] = Object.values(archives)
  const images = join(draft, 'images')
  if (hasMounts(images)) throw new Error(`buildah left mounts in ${images}: unmount them and remove the folder`)
  for (const entry of globSync('*', { cwd: draft }).filter(entry => !kept.includes(entry)))
    rmSync(join(draft, entry), { recursive: true })
}

/** While the image is built, certificates of this machine are mounted over Debian's, because a proxy may need its own. */
const containerfiles = {
  build: `FROM scratch
ADD debian /
COPY build /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_EXTRA_CA_CERTS=${certificates}
CMD ["node"]
`,
  base: `FROM scratch
COPY base /
COPY --chown=65532:65532 base/home/nonroot /home/nonroot
USER 65532
WORKDIR /home/nonroot
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SSL_CERT_FILE=${certificates}
ENTRYPOINT ["/nodejs/bin/node"]
`,
} as const

const writeBuildBase = (folder: string): void => {
  const local = join(folder, 'usr/local')
  mkdirSync(join(local, 'bin'), { recursive: true })
  copyProgram(process.execPath, join(local, 'bin/node'))
  const script = process.env.npm_execpath
  if (!script) throw new Error('the stand-in takes npm from the npm that runs the script: npm run image')
  const npm = dirname(dirname(realpathSync(script)))
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
}

/** The libraries that Node links to, and those that look up names. */
const libraries = [
  'libdl.so.2',
  'libstdc++.so.6',
  'libm.so.6',
  'libgcc_s.so.1',
  'libpthread.so.0',
  'libc.so.6',
  'libresolv.so.2',
]

const writeBase = (folder: string, debian: string): void => {
  for (const path of ['nodejs/bin', 'home/nonroot', 'etc/ssl/certs', 'usr/lib/x86_64-linux-gnu', 'usr/lib64', 'tmp'])
    mkdirSync(join(folder, path), { recursive: true })
  chmodSync(join(folder, 'tmp'), 0o1777)
  for (const name of ['lib', 'lib64']) symlinkSync(`usr/${name}`, join(folder, name))
  for (const library of libraries) copyLibrary(`usr/lib/x86_64-linux-gnu/${library}`, debian, folder)
  copyLibrary('usr/lib64/ld-linux-x86-64.so.2', debian, folder)
  copyProgram(process.execPath, join(folder, 'nodejs/bin/node'))
  copyFileSync(join(debian, certificates), join(folder, certificates))
  const etc = {
    passwd: 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
    group: 'root:x:0:\nnonroot:x:65532:\n',
    'nsswitch.conf': 'hosts: files dns\n',
  }
  for (const [name, text] of Object.entries(etc)) writeFileSync(join(folder, 'etc', name), text)
}

const copyLibrary = (path: string, debian: string, folder: string): void => {
  if (!existsSync(join(debian, path))) throw new Error(`Debian has no ${basename(path)}, which Node links to`)
  copyFileSync(realpathSync(join(debian, path)), join(folder, path))
}

const copyProgram = (from: string, to: string): void => {
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}
