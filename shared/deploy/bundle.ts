// Bundles the programs for the image. The bundles need no node_modules, no sources and no serverless.yml, because serverless.yml is checked
// at build time. Each function is a separate file, loaded only by hosts that serve it. Files that functions read at start stay files.
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import type { Landscape } from '../api/serverless.ts'
import { programs } from './workloads/pod.ts'

type Bundle = {
  readonly root: string
  /** The target folder. Files of an earlier build are removed. */
  readonly into: string
  readonly landscape: Landscape
  /** Source files by name of the bundle, without its ending. */
  readonly entries: Readonly<Record<string, string>>
}

/** The programs of the image, including the renderer. */
export const imageEntries = Object.fromEntries(
  [...programs, 'renderer', 'runtime-watcher'].map(name => [name, `shared/main/${name}.ts`]),
)

/** Rejects when an import cannot be resolved, or would lose names in a bundle. */
export const writeBundle = async ({ root, into, landscape, entries }: Bundle): Promise<void> => {
  for (const file of globSync('*.mjs*', { cwd: into })) rmSync(join(into, file))
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entries },
    outdir: into,
    outExtension: { '.js': '.mjs' },
    ...modulesOfNode,
    external: notOfFastify,
    metafile: true,
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [landscapeInside(landscape), leanUndici],
  })
  const [nameless] = namelessImports(metafile)
  if (nameless) throw new Error(`${nameless}: the names of a package in CommonJS are lost; have a module import it`)
  for (const folder of shippedFolders) copyFolder(join(root, folder), join(into, folder))
}

/** Folders that programs read at run time, copied beside the bundles. */
const shippedFolders = ['manifests/istio', 'manifests/garden']

const copyFolder = (from: string, to: string): void => {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}

/** Dynamic imports of CommonJS packages in our sources. Unlike Node, a bundle gives such packages no named exports. */
const namelessImports = ({ inputs }: Metafile): string[] =>
  Object.entries(inputs)
    .filter(([path]) => path.startsWith('shared/') || path.startsWith('functions/'))
    .flatMap(([path, { imports }]) =>
      imports
        .filter(({ kind, path: to }) => kind === 'dynamic-import' && inputs[to]?.format === 'cjs')
        .map(({ original = '' }) => `${path} imports ${original} on demand`),
    )

/**
 * Not minified, so that stack traces stay readable; minified code would save 1 MB of memory. Source maps would cost 30 MB. CommonJS
 * packages load Node's modules by `require`, which must be defined in ES modules.
 */
const modulesOfNode: BuildOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  banner: {
    js: `import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);`,
  },
}

/** Packages for Fastify features that we do not use: schema compilers (shared/http/bare-app.ts) and injected requests. */
const notOfFastify = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request']

const landscapeInside = (landscape: Landscape): Plugin => ({
  name: 'landscape inside',
  setup: ({ onLoad }) => {
    const contents = `export const builtLandscape = ${JSON.stringify(landscape)}`
    onLoad({ filter: /[\\/]shared[\\/]main[\\/]built-landscape\.ts$/ }, () => ({ contents }))
  },
})

/**
 * undici loads all its modules, mostly browser APIs. This replaces its index.js by the parts that we import; other imports fail the build.
 * Other packages get all of undici.
 */
const leanUndici: Plugin = {
  name: 'lean undici',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.includes('node_modules') ? undefined : { path: 'undici', namespace: 'lean' },
    )
    const contents = `
      import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
      import requests from 'undici/lib/api/index.js'
      export { default as Agent } from 'undici/lib/dispatcher/agent.js'
      export { default as Pool } from 'undici/lib/dispatcher/pool.js'
      export { default as buildConnector } from 'undici/lib/core/connect.js'
      export { default as errors } from 'undici/lib/core/errors.js'
      Object.assign(Dispatcher.prototype, requests)
      export { Dispatcher }`
    onLoad({ filter: /^undici$/, namespace: 'lean' }, () => ({ contents, resolveDir: import.meta.dirname }))
  },
}
