// `npm run generate` writes manifests/. `npm run generate -- --check` only compares, names each file that differs, and exits with 1.
// `--into FOLDER` writes another folder for a release, with every layout but no chart. shared/deploy creates the content of manifests/.
// docs/generator creates dashboards and parts of docs/.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { documents } from '../../docs/generator/documents.ts'
import type { Landscape } from '../api/serverless.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'
import { LandscapeRefused } from '../deploy/landscape/refusal.ts'
import { chartFiles } from '../deploy/manifests/chart.ts'
import { writeText, writtenManifests, writtenTexts } from '../deploy/manifests/manifest-files.ts'
import { deployManifests, isKept, policyFiles } from '../deploy/manifests/manifests.ts'
import { ownDeclarations, withVariables } from './function-settings.ts'

const root = join(import.meta.dirname, '..', '..')

const options = {
  check: { type: 'boolean', default: false },
  into: { type: 'string' },
} as const

const generate = async (): Promise<number> => {
  const { check, into } = parseArgs({ options }).values
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const landscape = withVariables(readLandscape(join(root, 'serverless.yml')), ownDeclarations)
  const manifests = deployManifests(landscape, version)
  const folder = into ?? join(root, 'manifests')
  const made = into ? [] : [...chart(landscape, version), ...(await documents(root, landscape))]
  const lines = writtenManifests(folder, into ? manifests : manifests.filter(isKept), check)
  const policies = into && !check ? policyFiles(landscape).map(file => join('webhooks', file)) : []
  for (const path of policies) writeText(join(folder, path), readFileSync(join(root, 'manifests', path), 'utf8'))
  lines.push(...writtenTexts(root, made, check))
  process.stdout.write(lines.map(line => `${line}\n`).join(''))
  return check && lines.length > 0 ? 1 : 0
}

const chart = (landscape: Landscape, version: string) => {
  const text = (file: string) => readFileSync(join(root, 'manifests', 'helm', file), 'utf8')
  return chartFiles({ landscape, version, schema: JSON.parse(text('values.schema.json')), readme: text('README.md') })
}

try {
  process.exitCode = await generate()
} catch (error) {
  if (!(error instanceof LandscapeRefused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
