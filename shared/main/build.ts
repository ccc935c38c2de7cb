// `npm run build` writes dist/: the programs of the image. `npm run build:package` writes dist/package: the npm package. `--into FOLDER`
// writes another folder. shared/deploy creates the content of the files.
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { imageEntries, writeBundle } from '../deploy/bundle.ts'
import { readLandscape } from '../deploy/landscape/landscape.ts'
import { writePackage } from '../deploy/package.ts'

const root = join(import.meta.dirname, '..', '..')
const { values } = parseArgs({ options: { into: { type: 'string' }, package: { type: 'boolean' } } })
const landscape = readLandscape(join(root, 'serverless.yml'))
const { name, version, description, license } = manifest

/** Uses the compiler that `npm run types` fetches. */
const writeTypes = async (files: readonly string[], into: string): Promise<void> => {
  const project = `${into}.json`
  const output = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: into }
  // `npm run types` keeps what it found for the next time; this output has nothing to do with it.
  const once = { incremental: false, tsBuildInfoFile: null }
  const compilerOptions = { ...output, ...once, typeRoots: [join(root, 'node_modules', '@types')] }
  const paths = files.map(file => join(root, file))
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: paths }))
  await promisify(execFile)('npm', ['run', '--silent', 'types', '--', '--project', project], { cwd: root })
  rmSync(project)
}

if (values.package) {
  const into = values.into ?? join(root, 'dist', 'package')
  await writePackage({ root, into: resolve(into), landscape, writeTypes, name, version, description, license })
} else await writeBundle({ root, into: values.into ?? join(root, 'dist'), landscape, entries: imageEntries })
