// `espalier generate`: writes manifests/ of the landscape in this folder. `--check` only compares and exits 1 when a file differs, `--into
// FOLDER` writes every layout into another folder.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isText, mapOrEmpty } from '../../core/json/json.ts'
import { errorText } from '../../core/text/error-text.ts'
import { deployManifests, isKept } from '../../deploy/manifests/manifests.ts'
import { landscapeIn } from '../landscape.ts'
import { writtenManifests } from '../written-manifests.ts'
import { ownKinds } from './own-kinds.ts'

const usage = `espalier generate [--check] [--into FOLDER]

Writes manifests/ from serverless.yml and kinds/ of this folder: definitions, roles, Deployments, webhook configurations.

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
  const all = deployManifests(landscape, versionIn(folder), await ownKinds(folder, landscape))
  const { lines, differs } = writtenManifests(into ?? join(folder, 'manifests'), into ? all : all.filter(isKept), check)
  process.stdout.write(lines.map(line => `${line}\n`).join(''))
  return check && differs ? 1 : 0
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
