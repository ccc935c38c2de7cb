// `npm run generate` writes manifests/ anew; `npm run generate -- --check` only compares, and exits 1 naming each file that
// is not as it should be; `--into FOLDER` means another folder. What is in the files is shared/deploy's matter.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readLandscape } from '../deploy/landscape.ts'
import { differences, mend } from '../deploy/manifest-files.ts'
import { manifests } from '../deploy/manifests.ts'
import { LandscapeRefused } from '../deploy/refusal.ts'

const root = join(import.meta.dirname, '..', '..')

const options = {
  check: { type: 'boolean', default: false },
  into: { type: 'string', default: join(root, 'manifests') },
} as const

const generate = (): number => {
  const { check, into } = parseArgs({ options }).values
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = differences(into, manifests(readLandscape(join(root, 'serverless.yml')), version))
  if (!check) mend(into, found)
  for (const { path, fault } of found) process.stdout.write(`manifests/${path} ${check ? fault : done[fault]}\n`)
  return check && found.length > 0 ? 1 : 0
}

const done = { 'is missing': 'is new', differs: 'is written anew', 'is left over': 'is removed' } as const

try {
  process.exitCode = generate()
} catch (error) {
  if (!(error instanceof LandscapeRefused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
