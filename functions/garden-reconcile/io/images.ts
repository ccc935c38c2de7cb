// Reads the images of a Garden's components: from the user's file if one is set, then from manifests/ in the project or beside the programs
// in the container image. Both have the same form.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isMap, isText } from '../../../shared/core/json/json.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { ContainerImage } from '../settings.ts'

const isBundle = extname(import.meta.filename) === '.mjs'

const ownImages = join(
  import.meta.dirname,
  ...(isBundle ? [] : ['..', '..', '..']),
  'manifests',
  'garden',
  'images.yaml',
)

/** The images of the override come first. Rejects with an Error that names the missing or broken file. */
export const gardenImages = async (override?: string): Promise<readonly ContainerImage[]> => {
  const { readYaml } = await import('../../../shared/core/yaml/read.ts')
  const files = override === undefined ? [ownImages] : [override, ownImages]
  return files.flatMap(file => {
    try {
      return imagesIn(readYaml(readFileSync(file, 'utf8')))
    } catch (error) {
      throw new Error(`${file}: ${errorText(error)}`, { cause: error })
    }
  })
}

const imagesIn = (document: unknown): readonly ContainerImage[] => {
  if (Array.isArray(document) && document.every(isImage)) return document
  throw new Error('expected a list of images with name, repository, and optionally tag and targetVersion, all as text')
}

const isImage = (row: unknown): row is ContainerImage =>
  isMap(row) && isText(row.name) && isText(row.repository) && [row.tag, row.targetVersion].every(isTextOrAbsent)

const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value)
