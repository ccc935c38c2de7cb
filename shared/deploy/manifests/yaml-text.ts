// Writes objects as a YAML file. The same objects always give the same text, so that files can be compared.
import { stringify } from 'yaml'

export type ManifestFile = {
  /** Below manifests/. */
  readonly path: string
  /** What the file is generated from, for its first line. */
  readonly source: string
  readonly objects: readonly object[]
}

export const yamlText = ({ source, objects }: ManifestFile): string =>
  [`${mark} from ${source}. Changes belong there.\n`, ...objects.map(object => stringify(object, options))].join(
    '---\n',
  )

/** Whether a file is generated. */
export const isGeneratedText = (text: string): boolean => text.startsWith(mark)

const mark = '# Written by `npm run generate`'

/** kubectl reads YAML 1.1, in which `yes` and `010` need quotes. */
const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
