// `npm run reference` writes dist/package/reference: pages about what the npm package exports, of the comments in its declarations.
// `npm run build:package` comes before. `--package FOLDER` and `--into FOLDER` name other folders.
import { execFile } from 'node:child_process'
import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { installedPackages } from './packages.ts'

const { values } = parseArgs({
  options: {
    package: { type: 'string', default: 'dist/package' },
    into: { type: 'string', default: 'dist/package/reference' },
  },
})
const types = resolve(values.package, 'types')
const entries = globSync('shared/exports/*.d.ts', { cwd: types }).map(file => join(types, file))
if (entries.length === 0) throw new Error(`${values.package} holds no declarations: npm run build:package`)
const tsconfig = join(types, 'tsconfig.json')
const typeRoots = [resolve('node_modules', '@types')]
const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', types: ['node'], typeRoots }
writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: entries }))
const modules = join(await installedPackages('reference'), 'node_modules')
const flags = {
  tsconfig,
  plugin: join(modules, 'typedoc-plugin-markdown', 'dist', 'index.js'),
  out: resolve(values.into),
  basePath: join(types, 'shared', 'exports'),
  router: 'module',
  name: 'espalier',
  readme: 'none',
}
const { stdout } = await promisify(execFile)(join(modules, '.bin', 'typedoc'), [
  ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
  ...['--skipErrorChecking', '--excludeExternals', '--disableSources', '--hideGenerator'],
  ...entries,
])
rmSync(tsconfig)
process.stdout.write(stdout)
