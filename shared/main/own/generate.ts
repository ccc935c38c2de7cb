// `espalier generate`: writes manifests/ of the landscape in this folder, with its chart, and the page of its settings. `--check` only
// compares, and exits with 1 if a file differs. `--into FOLDER` writes every layout into another folder.
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Landscape } from '../../api/serverless.ts'
import { isText, mapOrEmpty } from '../../core/json/json.ts'
import type { SettingsTable } from '../../core/settings/setting.ts'
import { type GeneratedText, writtenManifests, writtenTexts } from '../../deploy/manifests/manifest-files.ts'
import { deployManifests, isKept } from '../../deploy/manifests/manifests.ts'
import { settingsRows } from '../../http/settings/config.ts'
import { beginOwn } from '../cli/command.ts'
import { functionSettingsTable, withVariables } from '../function-settings.ts'
import { landscapeIn } from '../landscape.ts'
import { foundFunctions } from './own-functions.ts'
import { ownChart, ownChartLinks, ownKinds, refuseAmbiguous } from './own-manifests.ts'

const usage = `espalier generate [--check] [--into FOLDER]

Writes manifests/ from serverless.yml, kinds/ and functions/ of this folder: definitions, roles, Deployments, webhook configurations, and
the Helm chart. Writes docs/settings.md where functions declare settings.

  --check        Compares and writes nothing; exit 1 when a file differs
  --into FOLDER  Writes every layout into another folder, such as one with a Deployment for each function
`

const options = {
  check: { type: 'boolean', default: false },
  into: { type: 'string' },
} as const

const generate = async ({ check, into }: { check: boolean; into?: string }): Promise<number> => {
  const folder = process.cwd()
  const given = await landscapeIn(folder)
  const functions = await foundFunctions(Object.keys(given.functions), given, folder)
  const landscape = withVariables(given, functions)
  const version = versionIn(folder)
  const kinds = await ownKinds(folder, landscape)
  refuseAmbiguous(landscape, one => deployManifests(one, version, []))
  const all = deployManifests(landscape, version, kinds)
  const lines = writtenManifests(into ?? join(folder, 'manifests'), into ? all : all.filter(isKept), check)
  if (!into) {
    const chart = ownChart({ landscape, version, kinds })
    const texts = withList([...chart, ...settingsPage(landscape, functionSettingsTable(functions, given))])
    lines.push(
      ...leftOver(folder, texts, check),
      ...writtenTexts(folder, texts, check),
      ...ownChartLinks(folder, check),
    )
  }
  process.stdout.write(lines.map(line => `${line}\n`).join(''))
  return check && lines.length > 0 ? 1 : 0
}

const pageFile = 'docs/settings.md'

const settingsPage = ({ service }: Landscape, settings: SettingsTable): GeneratedText[] => {
  const head = [
    `# Settings of ${service}`,
    '',
    'Made by `npm run generate`. A flag of the host overrides its variable. The variable overrides what serverless.yml says in `settings` of',
    'the function, and that overrides the default. In a chart, `host.extraEnv` has variables.',
    '',
  ]
  const rows = Object.values(settings)
  return rows.length > 0 ? [{ path: pageFile, text: [...head, ...settingsRows(rows)].join('\n') }] : []
}

/** The list of generated files that have no mark in the first line. A listed file is removed when it is no longer generated. */
const listFile = 'manifests/generated.txt'

const withList = (texts: readonly GeneratedText[]): GeneratedText[] => [
  ...texts,
  { path: listFile, text: texts.map(({ path }) => `${path}\n`).join('') },
]

const leftOver = (folder: string, wanted: readonly GeneratedText[], isCheck: boolean): string[] => {
  const list = join(folder, listFile)
  const former = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(isOfGenerate) : []
  const left = former.filter(path => isFile(join(folder, path)) && !wanted.some(text => text.path === path))
  if (!isCheck) for (const path of left) rmSync(join(folder, path))
  return left.map(path => `${path} ${isCheck ? 'is left over' : 'is removed'}`)
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Users can edit the list, so any other path in the list, such as `../notes`, is ignored. */
const isOfGenerate = (path: string): boolean =>
  path === pageFile || (path.startsWith('manifests/helm/') && posix.normalize(path) === path)

/** The tag of the operator's image: the version in its package.json. */
const versionIn = (folder: string): string => {
  const file = join(folder, 'package.json')
  const { version } = existsSync(file) ? mapOrEmpty(JSON.parse(readFileSync(file, 'utf8'))) : {}
  return isText(version) ? version : 'latest'
}

await beginOwn({ name: 'generate', usage, options, run: ({ values }) => generate(values) })
