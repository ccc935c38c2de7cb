// Generators for a Helm chart or a kustomization in a folder. The folder is read at the first call.
import { join } from 'node:path'
import { folderAt } from '../../../outside/chart-folder.ts'
import type { Recipe } from '../../../render/order.ts'
import type { Generator } from './definition.ts'
import { rendering } from './generators.ts'

/**
 * Renders the Helm chart in a folder with the component's parameters as values. If the folder cannot be read, the status of each component
 * reports an error with the folder.
 *
 *   const generator = helmChart(import.meta.dirname, 'chart')
 */
export const helmChart = (...folder: readonly string[]): Generator => folderGenerator({ is: 'chart' }, join(...folder))

/**
 * Renders the kustomization in a folder, whose files are templates with the parameters.
 *
 *   const generator = kustomization(import.meta.dirname, 'deploy')
 */
export const kustomization = (...folder: readonly string[]): Generator =>
  folderGenerator({ is: 'kustomization', path: '' }, join(...folder))

const folderGenerator = (recipe: Recipe, folder: string): Generator => {
  let ready: Generator | undefined
  return async (...given) => {
    ready ??= await generatorOf(recipe, folder)
    return ready(...given)
  }
}

const generatorOf = async (recipe: Recipe, folder: string): Promise<Generator> => {
  const { files, digest } = await folderAt(folder)
  return rendering({ recipe, artifact: { key: digest, called: `the folder ${folder}`, packed: { files } } })
}
