// `npm run build` writes dist/: the programs as the image holds them; `--into FOLDER` writes another folder. shared/deploy makes the
// content of the files.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeBundle } from '../deploy/build/bundle.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'

const root = join(import.meta.dirname, '..', '..')
const options = { into: { type: 'string', default: join(root, 'dist') } } as const
const { into } = parseArgs({ options }).values

await writeBundle({ root, into, landscape: readLandscape(join(root, 'serverless.yml')) })
