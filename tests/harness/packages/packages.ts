// Packages that only tests and checks need and that are too large for everybody's `npm ci`. Each folder beside this file is a set with its lock file.
// A set is installed when it is first needed, and kept in the cache folder.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cachedFolder, platform } from '../control-plane/cache.ts'

type PackageSet = 'oracles' | 'osls' | 'checks' | 'publishing' | 'browser' | 'reference'

/** The folder in which `npm ci` has installed the set. */
export const installedPackages = (set: PackageSet): Promise<string> => {
  const source = join(import.meta.dirname, set)
  const version = createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex')
    .slice(0, 8)
  return cachedFolder(`packages-${set}-${version}-${platform}`, async draft => {
    process.stderr.write(`# fetching ${contentOf(source)}, once per machine\n`)
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(source, file), join(draft, file))
    await npm(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'], draft)
  })
}

const contentOf = (source: string): string =>
  Object.entries<string>(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')).dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(' and ')

const npm = async (args: readonly string[], cwd: string): Promise<void> => {
  const script = process.env.npm_execpath
  const [program, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm']
  await promisify(execFile)(program, [...first, ...args], { cwd })
}
