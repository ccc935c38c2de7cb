// `npm run build` writes dist/: the programs as the image holds them. `--package` writes dist/package: the npm package of the command
// `espalier`. `--into FOLDER` writes another folder. shared/deploy makes the content of the files.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { imageEntries, writeBundle } from '../deploy/build/bundle.ts'
import { writePackage } from '../deploy/build/package.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'

const root = join(import.meta.dirname, '..', '..')
const { values } = parseArgs({ options: { into: { type: 'string' }, package: { type: 'boolean' } } })
const landscape = readLandscape(join(root, 'serverless.yml'))
const { name, version, description, license } = manifest

if (values.package) {
  const into = values.into ?? join(root, 'dist', 'package')
  await writePackage({ root, into, landscape, name, version, description, license })
} else await writeBundle({ root, into: values.into ?? join(root, 'dist'), landscape, entries: imageEntries })
