// Writes objects as a YAML file. The same objects always give the same text, so that files can be compared.
import { yamlOf } from '../../core/yaml/write.ts'

export type ManifestFile = {
  readonly path: string
  /** What the file is generated from, for its first line. */
  readonly source: string
  readonly objects: readonly object[]
}

export const yamlText = ({ source, objects }: ManifestFile): string =>
  [`${mark} from ${source}. Changes belong there.\n`, ...objects.map(yamlOf)].join('---\n')

export const isGeneratedText = (text: string): boolean => text.startsWith(mark)

const mark = '# Written by `npm run generate`'
