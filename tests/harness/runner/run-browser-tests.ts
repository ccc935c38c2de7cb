// `npm run test:browser`: the console in a real Chromium. Chromium comes from the system (Debian: `apt-get install chromium`), or from CHROMIUM;
// playwright-core and axe-core are fetched when they are first needed.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { runRooms, skipsFail } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const files = globSync('tests/browser/**/*.test.ts', { cwd: root }).sort()
process.exitCode = await runRooms({
  rooms: files.map(file => [file]),
  tapFile: 'browser.tap',
  env: () => skipsFail,
})
