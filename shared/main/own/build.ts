// `espalier build`: writes dist/ of the operator in this folder. Host and relay need only dist/, not node_modules, sources or
// serverless.yml. The programs come from the package. The operator's modules keep their paths, so that they find neighbouring files.
// Packages that they import are bundled.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import type { Landscape } from '../../api/serverless.ts'
import { builtLandscape } from '../built-landscape.ts'
import { beginOwn } from '../cli/command.ts'
import { functionSettingsTable } from '../function-settings.ts'
import { builtOperatorFile, landscapeIn } from '../landscape.ts'
import { ownNames, servedFunctions } from './own-functions.ts'

const usage = `espalier build [--into FOLDER]

Writes dist/: the programs host and relay with the functions of this folder, for an image. The Deployments of manifests/ start them.

  --into FOLDER  Writes another folder
`

type Esbuild = Pick<typeof import('esbuild'), 'build'>

const options = { into: { type: 'string', default: 'dist' } } as const

const build = async (into: string): Promise<void> => {
  const folder = process.cwd()
  const landscape = await landscapeIn(folder)
  const names = ownNames(landscape)
  // Throws if serverless.yml sets an undeclared setting.
  functionSettingsTable(await servedFunctions(names, landscape, folder), landscape)
  if (!builtLandscape) throw new Error('espalier build works only in the npm package: call node_modules/.bin/espalier')
  const esbuild = esbuildOf(folder)
  const target = resolve(into)
  const isOwn = !existsSync(target) || readdirSync(target).length === 0 || existsSync(join(target, 'host.mjs'))
  if (!isOwn)
    throw new Error(`${into} contains other files: expected an empty folder, or one that espalier build wrote`)
  rmSync(target, { recursive: true, force: true })
  copyPrograms(import.meta.dirname, target, landscape)
  await writeModules(esbuild, { folder, target, names })
  for (const file of filesBesideCode(folder)) copyTo(join(folder, file), join(target, file))
  writeFileSync(join(target, builtOperatorFile), `${JSON.stringify(landscape)}\n`)
  process.stdout.write(`${relative('', target)} holds host.mjs and relay.mjs with ${names.join(', ')}\n`)
}

/** All files except code, including files without an extension and hidden files such as a chart's `.helmignore`. */
const filesBesideCode = (folder: string): string[] =>
  readdirSync(join(folder, 'functions'), { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory() && !isCode(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))

const copyTo = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true })
}

/** Copies programs, the package's entries for functions, all their imports, and the files that included functions read. */
const copyPrograms = (from: string, to: string, { functions }: Landscape): void => {
  const copied = new Set<string>()
  const open = ['host', 'relay', 'renderer', 'index', 'schema', 'render', 'kube'].map(name => `${name}.mjs`)
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (copied.has(file)) continue
    copied.add(file)
    copyTo(join(from, file), join(to, file))
    open.push(
      ...[...readFileSync(join(from, file), 'utf8').matchAll(/"\.\/([\w-]+\.mjs)"/g)].map(([, name = '']) => name),
    )
  }
  cpSync(join(from, 'LICENSE'), join(to, 'LICENSE'))
  for (const [name, files] of Object.entries(filesOfFunction))
    if (name in functions) copyTo(join(from, files), join(to, files))
}

const filesOfFunction = { istio: 'manifests/istio', 'garden-reconcile': 'manifests/garden' }

/** The user's esbuild. Espalier does not depend on esbuild, because it is large and only this command needs it. */
const esbuildOf = (folder: string): Esbuild => {
  try {
    return createRequire(join(folder, 'package.json'))('esbuild')
  } catch (error) {
    throw new Error('esbuild is missing: npm install --save-dev esbuild', { cause: error })
  }
}

type Modules = { readonly folder: string; readonly target: string; readonly names: readonly string[] }

const writeModules = async ({ build }: Esbuild, { folder, target, names }: Modules): Promise<void> => {
  const common: BuildOptions = {
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
    outbase: folder,
    outdir: target,
    outExtension: { '.js': '.mjs' },
  }
  const entryPoints = names.map(name => `functions/${name}/index.ts`)
  const { metafile } = await build({ ...common, entryPoints, packages: 'external', write: false, metafile: true })
  await build({
    ...common,
    entryPoints: Object.keys(metafile.inputs).filter(isCode),
    splitting: true,
    chunkNames: 'packages-[hash]',
    banner: {
      js: `import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);`,
    },
    plugins: [inPlace(folder)],
  })
}

const isCode = (file: string): boolean => /\.[mc]?[jt]s$/.test(file)

/** Imports of the operator's modules and of the package become imports of files in dist/. */
const inPlace = (folder: string): Plugin => ({
  name: 'in place',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) =>
      kind === 'entry-point' || importer.includes('node_modules') || !isCode(path)
        ? undefined
        : { path: path.replace(/\.[mc]?[jt]s$/, '.mjs'), external: true },
    )
    onResolve({ filter: /^espalier(\/|$)/ }, ({ path, importer }) => {
      if (importer.includes('node_modules'))
        return { errors: [{ text: `${importer} imports espalier, but only your own modules can` }] }
      const depth = relative(folder, dirname(importer)).split(/[\\/]/).filter(Boolean).length
      return { path: `${'../'.repeat(depth) || './'}${path.split('/')[1] ?? 'index'}.mjs`, external: true }
    })
  },
})

await beginOwn({ name: 'build', usage, options, run: ({ values }) => build(values.into) })
