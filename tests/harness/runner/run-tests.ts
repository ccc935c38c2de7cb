// `npm test [-- files…]`: all tests that need Node and nothing else, in rooms. The TAP is kept in .espalier/tap/unit.tap.
import { globSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Room, roomsOf } from './rooms.ts'
import { runTap } from './run-tap.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folder = join('.espalier', 'rooms')

/** One more than processors: some files wait. tap itself would leave one processor idle. */
const options = [`--jobs=${availableParallelism() + 1}`]
const asked = process.argv.slice(2)
process.exitCode = await runTap({ files: asked.length > 0 ? asked : await everything(), tapFile: 'unit.tap', options })

async function everything(): Promise<string[]> {
  const { include } = parse(readFileSync(join(root, '.taprc'), 'utf8')) as { include: string[] }
  const files = globSync(include, { cwd: root })
  await rm(join(root, folder), { recursive: true, force: true })
  await mkdir(join(root, folder), { recursive: true })
  const rooms = roomsOf(files)
  const inRooms = new Set(rooms.flatMap(({ files }) => files))
  return [...(await Promise.all(rooms.map(written))), ...files.filter(file => !inRooms.has(file)).sort()]
}

/** The file that runs a room: tap starts a process for a file. */
async function written({ name, files }: Room): Promise<string> {
  const path = join(folder, `${name}.ts`)
  const text = `import { runRoom } from '../../tests/harness/runner/room.ts'\n\nrunRoom(${JSON.stringify(files, null, 2)})\n`
  await writeFile(join(root, path), text)
  return path
}
