// An error that nobody awaits fails its file, although tap follows no promises.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { roomCommand } from './run-rooms.ts'

const rows: readonly [what: string, inTest: string, fails: boolean][] = [
  ['nothing', '', false],
  ['a promise that nobody awaits is rejected', `Promise.reject(new Error('alone'))`, true],
  ['a timer throws', `setTimeout(() => { throw new Error('alone') })`, true],
]

t.test('an error that nobody awaits fails its file', async t => {
  for (const [what, inTest, fails] of rows) {
    const text = `import t from 'tap'\nt.test('a', async t => {\n${inTest}\nawait new Promise(r => setTimeout(r, 20))\nt.pass()\n})`
    const file = join(t.testdir({ 'a.test.ts': text }), 'a.test.ts')
    const { status, stdout, stderr } = spawnSync(process.execPath, roomCommand([file]))
    t.equal(status, fails ? 1 : 0, what)
    t.equal(`${stdout}${stderr}`.includes('alone'), fails, `${what}: the error is told`)
  }
})
