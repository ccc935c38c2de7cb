// Images for tests, made of Debian's static busybox: the image that holds a Pod's namespaces, and a small web server in two versions.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildahIn } from '../image/buildah.ts'
import { pauseImage } from './node.ts'

/** The web server answers `web VERSION` on port 8080. */
export const webImage = (version: number): string => `example.com/web:${version}`

const containerfiles = {
  [pauseImage]:
    'FROM scratch\nCOPY busybox /bin/\nUSER 65535\nENTRYPOINT ["/bin/busybox", "tail", "-f", "/dev/null"]\n',
  ...Object.fromEntries([1, 2].map(version => [webImage(version), webContainerfile(version)])),
}

function webContainerfile(version: number): string {
  const command = JSON.stringify(['/bin/busybox', 'httpd', '-f', '-p', '8080', '-h', '/www'])
  return `FROM scratch\nCOPY busybox /bin/\nCOPY web-${version} /www/index.html\nUSER 1000\nENTRYPOINT ${command}\n`
}

/** Writes archives of these images for containerd into the folder. */
export const makeTestImages = async (into: string): Promise<string[]> => {
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find(path => existsSync(path))
  if (!busybox) throw new Error('there is no busybox: install busybox-static')
  const work = mkdtempSync(join(tmpdir(), 'espalier-images-'))
  mkdirSync(into, { recursive: true })
  const buildah = buildahIn(join(work, 'images'), work)
  copyFileSync(busybox, join(work, 'busybox'))
  for (const version of [1, 2]) writeFileSync(join(work, `web-${version}`), `web ${version}\n`)
  const archives: string[] = []
  for (const [name, text] of Object.entries(containerfiles)) {
    writeFileSync(join(work, 'Containerfile'), text)
    await buildah('bud', '--quiet', '--isolation=chroot', '--pull=never', '-f', 'Containerfile', `--tag=${name}`, '.')
    const archive = join(into, `${name.replace(/\W/g, '-')}.tar`)
    rmSync(archive, { force: true })
    await buildah('push', '--quiet', name, `docker-archive:${archive}:${name}`)
    archives.push(archive)
  }
  await buildah('rmi', '--all', '--force')
  rmSync(work, { recursive: true })
  return archives
}
