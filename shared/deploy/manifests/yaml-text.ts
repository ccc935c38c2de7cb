// Writes objects as a YAML file. Equal objects give equal text, so that files can be compared.
import { yamlOf } from '../../core/yaml/write.ts'

export type ManifestFile = {
  readonly path: string
  /** The source of the file, for its first line. */
  readonly source: string
  readonly objects: readonly object[]
}

export const yamlText = ({ source, objects }: ManifestFile): string =>
  [`${mark} from ${source}. Changes belong there.\n`, ...objects.map(yamlOf)].join('---\n')

export const isGeneratedText = (text: string): boolean => text.startsWith(mark)

const mark = '# Written by `npm run generate`'
