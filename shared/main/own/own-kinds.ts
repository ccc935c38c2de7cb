// The definitions of the kinds in a user's landscape: each file of kinds/ exports one as `definition`. Also the definitions of included
// functions.
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { CustomResourceDefinition } from '../../api/custom-resource.ts'
import type { Landscape } from '../../api/serverless.ts'
import { isMap } from '../../core/json/json.ts'
import { watchesOf } from '../../deploy/landscape/events.ts'
import { customResources, definitionFile } from '../../deploy/manifests/custom-resources.ts'
import type { ManifestFile } from '../../deploy/manifests/yaml-text.ts'
import { loadedModule } from './own-functions.ts'

/** The definitions as files of manifests/crds. Rejects with a sentence for users. */
export const ownKinds = async (folder: string, landscape: Landscape): Promise<readonly ManifestFile[]> => {
  const files = globSync('kinds/*.ts', { cwd: folder }).sort()
  const own = await Promise.all(files.map(async file => definitionFile(await definitionIn(join(folder, file)), file)))
  const watched = new Set(watchesOf(landscape).map(({ event }) => `${event.apiVersion.split('/')[0]} ${event.kind}`))
  const carried = customResources().filter(({ objects }) => objects.some(object => watched.has(nameOf(object))))
  return [...own, ...carried.filter(({ path }) => own.every(one => one.path !== path))]
}

const definitionIn = async (file: string): Promise<CustomResourceDefinition> => {
  const { definition } = await loadedModule(file)
  if (isMap(definition) && definition.kind === 'CustomResourceDefinition') return definition as CustomResourceDefinition
  throw new Error(
    `${relative('', file)}: expected export const definition = customResourceDefinition({ … }), found ${definition === undefined ? 'no such export' : 'another value'}`,
  )
}

const nameOf = (object: object): string => {
  const { group, names } = (object as { spec: { group: string; names: { kind: string } } }).spec
  return `${group} ${names.kind}`
}
