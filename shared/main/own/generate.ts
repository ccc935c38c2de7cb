// `espalier generate`: writes manifests/ of the landscape in this folder, with its chart, and the page of its settings. `--check` only
// compares and exits 1 when a file differs, `--into FOLDER` writes every layout into another folder.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Landscape } from '../../api/serverless.ts'
import { isText, mapOrEmpty } from '../../core/json/json.ts'
import type { SettingsTable } from '../../core/settings/setting.ts'
import { errorText } from '../../core/text/error-text.ts'
import { deployManifests, isKept } from '../../deploy/manifests/manifests.ts'
import { settingsRows } from '../../http/settings/settings-rows.ts'
import { landscapeIn } from '../landscape.ts'
import { writtenManifests, writtenTexts } from '../written-manifests.ts'
import { ownChart, ownChartLinks } from './own-chart.ts'
import { ownNames, servedFunctions } from './own-functions.ts'
import { ownKinds } from './own-kinds.ts'
import { ownSettingsTable } from './own-settings.ts'

const usage = `espalier generate [--check] [--into FOLDER]

Writes manifests/ from serverless.yml, kinds/ and functions/ of this folder: definitions, roles, Deployments, webhook configurations, and
the Helm chart. Writes docs/settings.md where functions declare settings.

  --check        Compares and writes nothing; exit 1 when a file differs
  --into FOLDER  Writes every layout into another folder, such as one with a Deployment for each function
`

const options = {
  check: { type: 'boolean', default: false },
  into: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const generate = async (): Promise<number> => {
  const { check, into, help } = parseArgs({ options }).values
  if (help) return said(usage)
  const folder = process.cwd()
  const landscape = await landscapeIn(folder)
  const settings = ownSettingsTable(await servedFunctions(ownNames(landscape), landscape, folder), landscape)
  const version = versionIn(folder)
  const kinds = await ownKinds(folder, landscape)
  const all = deployManifests(landscape, version, kinds)
  const manifests = writtenManifests(into ?? join(folder, 'manifests'), into ? all : all.filter(isKept), check)
  const texts = into ? [] : [...ownChart({ landscape, version, kinds }), ...settingsPage(landscape, settings)]
  const written = writtenTexts(folder, texts, check)
  const lines = [...manifests.lines, ...written.lines, ...(into ? [] : ownChartLinks(folder, check))]
  process.stdout.write(lines.map(line => `${line}\n`).join(''))
  return check && lines.length > 0 ? 1 : 0
}

const settingsPage = ({ service }: Landscape, settings: SettingsTable): { path: string; text: string }[] => {
  const head = [
    `# Settings of ${service}`,
    '',
    'Made by `npm run generate`. A flag of the host overrides its variable. The variable overrides what serverless.yml says in `settings` of',
    'the function, and that overrides the default. In a chart, `host.extraEnv` has variables.',
    '',
  ]
  const rows = Object.values(settings)
  return rows.length > 0 ? [{ path: 'docs/settings.md', text: [...head, ...settingsRows(rows)].join('\n') }] : []
}

const said = (text: string): number => {
  process.stdout.write(text)
  return 0
}

/** The tag of the operator's image: the version of its package.json. */
const versionIn = (folder: string): string => {
  const file = join(folder, 'package.json')
  const { version } = existsSync(file) ? mapOrEmpty(JSON.parse(readFileSync(file, 'utf8'))) : {}
  return isText(version) ? version : 'latest'
}

try {
  process.exitCode = await generate()
} catch (error) {
  process.stderr.write(`generate: ${errorText(error)}\n`)
  process.exitCode = 1
}
