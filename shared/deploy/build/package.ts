// Makes the npm package of the command `espalier`: a bundle without dependencies, because Node runs no TypeScript below node_modules.
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Landscape } from '../../api/serverless.ts'
import { writeBundle } from './bundle.ts'

/** What package.json of the project says about the package. */
type PackageFacts = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
}

type Package = PackageFacts & { readonly root: string; readonly into: string; readonly landscape: Landscape }

/** Writes the folder that `npm publish` takes. */
export const writePackage = async ({ root, into, landscape, ...facts }: Package): Promise<void> => {
  await writeBundle({ root, into, landscape, entries: ['espalier', 'renderer'] })
  const content = { ...facts, type: 'module', bin: { espalier: 'bin.mjs' }, engines: { node: '>=24' } }
  writeFileSync(join(into, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
  writeFileSync(join(into, 'bin.mjs'), "#!/usr/bin/env node\nimport './espalier.mjs'\n", { mode: 0o755 })
  for (const file of ['LICENSE', 'README.md']) cpSync(join(root, file), join(into, file))
}
