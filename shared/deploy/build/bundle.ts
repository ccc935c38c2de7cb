// The programs as the image holds them: they start without node_modules or sources beside them, and without serverless.yml,
// which was read and checked when they were built. Each function is a file of its own, loaded where it is served.
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import type { Landscape } from '../../api/serverless.ts'
import { programs } from '../workloads/pod.ts'

type Bundle = {
  /** The project's folder. */
  readonly root: string
  /** What an earlier build left in it is removed. */
  readonly into: string
  readonly landscape: Landscape
}

/** Rejects when an import leads nowhere, or to less in a bundle than without. */
export const writeBundle = async ({ root, into, landscape }: Bundle): Promise<void> => {
  for (const file of globSync('*.mjs*', { cwd: into })) rmSync(join(into, file))
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...programs, 'renderer'].map(program => `shared/main/${program}.ts`),
    outdir: into,
    outExtension: { '.js': '.mjs' },
    ...modulesOfNode,
    external: notOfFastify,
    ...{ metafile: true, legalComments: 'linked', logLevel: 'warning' },
    plugins: [landscapeInside(landscape), leanUndici],
  })
  const [nameless] = namelessImports(metafile)
  if (nameless) throw new Error(`${nameless}: the names of a package in CommonJS are lost; have a module import it`)
}

/** What our sources load on demand from CommonJS: a bundle gives such an import a default and no names, unlike Node. */
const namelessImports = ({ inputs }: Metafile): string[] =>
  Object.entries(inputs)
    .filter(([path]) => path.startsWith('shared/') || path.startsWith('functions/'))
    .flatMap(([path, { imports }]) =>
      imports
        .filter(({ kind, path: to }) => kind === 'dynamic-import' && inputs[to]?.format === 'cjs')
        .map(({ original = '' }) => `${path} imports ${original} on demand`),
    )

/**
 * Neither minified, which saves 1 MB of memory, nor with source maps, which cost 30 MB: names and files stay readable in
 * stack traces. Packages in CommonJS ask for the parts of Node by `require`, which modules do not have.
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

/** What Fastify loads for what we never ask of it: compiled schemas (shared/http/bare-app.ts), and injected requests. */
const notOfFastify = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request']

const landscapeInside = (landscape: Landscape): Plugin => ({
  name: 'landscape inside',
  setup: ({ onLoad }) => {
    const contents = `export const builtLandscape = ${JSON.stringify(landscape)}`
    onLoad({ filter: /[\\/]shared[\\/]main[\\/]built-landscape\.ts$/ }, () => ({ contents }))
  },
})

/**
 * The package loads all it has at once, most of it for what browsers offer. These are the parts we import, put together as
 * its own index.js does it; importing another one fails the build. Packages that use it get the whole.
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
      export { default as errors } from 'undici/lib/core/errors.js'
      Object.assign(Dispatcher.prototype, requests)`
    onLoad({ filter: /^undici$/, namespace: 'lean' }, () => ({ contents, resolveDir: import.meta.dirname }))
  },
}
