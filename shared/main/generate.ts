// `npm run generate` writes manifests/ and generated code; `npm run generate -- --check` only compares, names each file that differs
// and exits 1; `--into FOLDER` writes the manifests to another folder. shared/deploy makes the content of the files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { shapeChecks } from '../deploy/build/shape-checks.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'
import { LandscapeRefused } from '../deploy/landscape/refusal.ts'
import { differences, mend } from '../deploy/manifests/manifest-files.ts'
import { deployManifests } from '../deploy/manifests/manifests.ts'

const root = join(import.meta.dirname, '..', '..')

const options = {
  check: { type: 'boolean', default: false },
  into: { type: 'string', default: join(root, 'manifests') },
} as const

const generate = (): number => {
  const { check, into } = parseArgs({ options }).values
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = differences(into, deployManifests(readLandscape(join(root, 'serverless.yml')), version))
  const code = shapeChecks().filter(({ path, text }) => !isFile(join(root, path), text))
  if (!check) mend(into, found)
  if (!check) for (const { path, text } of code) writeFileSync(join(root, path), text)
  for (const { path, fault } of found) process.stdout.write(`manifests/${path} ${check ? fault : done[fault]}\n`)
  for (const { path } of code) process.stdout.write(`${path} ${check ? 'differs' : done.differs}\n`)
  return check && found.length + code.length > 0 ? 1 : 0
}

const isFile = (file: string, text: string): boolean => existsSync(file) && readFileSync(file, 'utf8') === text

const done = { 'is missing': 'is new', differs: 'is written anew', 'is left over': 'is removed' } as const

try {
  process.exitCode = generate()
} catch (error) {
  if (!(error instanceof LandscapeRefused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
