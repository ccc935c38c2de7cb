// Files that share a process run as if each had its own.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { roomsOf, unitTests } from './rooms.ts'
import { roomCommand } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')

const first = `import t from 'tap'
t.teardown(() => console.log('# first is over'))
t.beforeEach(() => console.log('# before each'))
t.test('passes', async () => undefined)
t.test('fails', async t => t.fail('Wrong'))`
const second = `import t from 'tap'
console.log('# second begins')
t.test('passes too', async t => t.notMatch(t.testdirName, 'a.test.ts', 'no folder is named after other files'))`

t.test('each file of a room has its own tests, hooks and teardown, and one that fails fails the room', async t => {
  const folder = t.testdir({ 'a.test.ts': first, 'b.test.ts': second })
  const files = ['a.test.ts', 'b.test.ts'].map(file => join(folder, file))
  const { status, stdout } = spawnSync(process.execPath, roomCommand(files), { encoding: 'utf8' })
  t.equal(status, 1)
  const told = stdout.split('\n').flatMap(line => /^ *((?:not )?ok \d - [a-z ]+[a-z]|# [fsb].*)/.exec(line)?.[1] ?? [])
  const ofFirst = ['# before each', 'ok 1 - passes', '# before each', 'not ok 2 - fails', '# first is over']
  const ofSecond = ['# second begins', 'ok 1 - no folder is named after other files', 'ok 1 - passes too']
  t.strictSame(told, [...ofFirst, ...ofSecond])
})

t.test('every file is in one room, and alone there if it moves the clock of its process', async t => {
  const files = globSync(unitTests, { cwd: root })
  const movesClock = (file: string) => /\bperformance\.now = /.test(readFileSync(join(root, file), 'utf8'))
  const rooms = roomsOf(files)
  t.strictSame(rooms.flat().toSorted(), files.toSorted())
  const among = rooms.filter(room => room.length > 1).flat()
  t.strictSame(among.filter(movesClock), [])
})
