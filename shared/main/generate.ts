// `npm run generate` writes manifests/; `npm run generate -- --check` only compares, names each file that differs
// and exits 1; docs/generator makes dashboards and parts of docs/ likewise. `--into FOLDER` writes another folder, for a release: every layout, but no chart. shared/deploy makes the files' content.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { documents } from '../../docs/generator/documents.ts'
import type { Landscape } from '../api/serverless.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'
import { LandscapeRefused } from '../deploy/landscape/refusal.ts'
import { chartFiles } from '../deploy/manifests/chart.ts'
import { deployManifests, isKept, policyFiles } from '../deploy/manifests/manifests.ts'
import { done, writtenManifests } from './written-manifests.ts'

const root = join(import.meta.dirname, '..', '..')

const options = {
  check: { type: 'boolean', default: false },
  into: { type: 'string' },
} as const

const generate = async (): Promise<number> => {
  const { check, into } = parseArgs({ options }).values
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const landscape = readLandscape(join(root, 'serverless.yml'))
  const manifests = deployManifests(landscape, version)
  const folder = into ?? join(root, 'manifests')
  const made = into ? [] : [...chart(landscape, version), ...(await documents(root, landscape))]
  const code = made.filter(file => !isFile(join(root, file.path), file.text))
  const { lines, differs } = writtenManifests(folder, into ? manifests : manifests.filter(isKept), check)
  const policies = into && !check ? policyFiles(landscape).map(file => join('webhooks', file)) : []
  for (const path of policies) write(join(folder, path), readFileSync(join(root, 'manifests', path), 'utf8'))
  if (!check) for (const { path, text } of code) write(join(root, path), text)
  for (const line of lines) process.stdout.write(`${line}\n`)
  for (const { path } of code) process.stdout.write(`${path} ${check ? 'differs' : done.differs}\n`)
  return check && (differs || code.length > 0) ? 1 : 0
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const chart = (landscape: Landscape, version: string) => {
  const text = (file: string) => readFileSync(join(root, 'manifests', 'helm', file), 'utf8')
  return chartFiles({ landscape, version, schema: JSON.parse(text('values.schema.json')), readme: text('README.md') })
}

const isFile = (file: string, text: string): boolean => existsSync(file) && readFileSync(file, 'utf8') === text

try {
  process.exitCode = await generate()
} catch (error) {
  if (!(error instanceof LandscapeRefused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
