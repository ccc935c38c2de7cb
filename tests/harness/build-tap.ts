// Builds tap with the plugins of .taprc, without which its first run after `npm ci` fails. It takes seven seconds, so it is done again only
// when `npm ci` has emptied node_modules or .taprc has changed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const modules = join(root, 'node_modules')
const built = join(modules, '@tapjs', 'test', 'test-built')
/** Holds the .taprc that tap was built with. */
const builtWith = join(modules, '.cache', 'espalier-tap', 'taprc')

const taprc = readFileSync(join(root, '.taprc'), 'utf8')
const isBuilt = existsSync(built) && existsSync(builtWith) && readFileSync(builtWith, 'utf8') === taprc
if (!isBuilt) {
  const { status } = spawnSync(join(modules, '.bin', 'tap'), ['build'], { cwd: root, stdio: 'inherit' })
  if (status === 0) {
    mkdirSync(dirname(builtWith), { recursive: true })
    writeFileSync(builtWith, taprc)
  }
  process.exitCode = status ?? 1
}
