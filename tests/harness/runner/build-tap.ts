// Builds tap with the plugins of .taprc, without which its first run after `npm ci` fails. It takes seven seconds, so it is done again only
// when node_modules is new, or .taprc or the version of tap has changed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const modules = join(root, 'node_modules')
/** Holds what tap was built of, once it is. */
const mark = join(modules, '.cache', 'espalier-tap', 'built-of')

const tap = readFileSync(join(modules, '@tapjs', 'test', 'package.json'), 'utf8')
const wanted = `${JSON.parse(tap).version}\n${readFileSync(join(root, '.taprc'), 'utf8')}`
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
  rmSync(mark, { force: true })
  const { status } = spawnSync(join(modules, '.bin', 'tap'), ['build'], { cwd: root, stdio: 'inherit' })
  if (status === 0) {
    mkdirSync(dirname(mark), { recursive: true })
    writeFileSync(mark, wanted)
  }
  process.exitCode = status ?? 1
}
