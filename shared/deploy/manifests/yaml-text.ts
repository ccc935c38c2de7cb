// A file of manifests/ as text: the same objects always give the same text, so that files can be compared with what they
// should be.
import { stringify } from 'yaml'

export type Manifest = {
  /** Below manifests/. */
  readonly path: string
  /** What it is derived from, for its first line. */
  readonly source: string
  readonly objects: readonly object[]
}

export const yamlText = ({ source, objects }: Manifest): string =>
  [`${mark} from ${source}. Changes belong there.\n`, ...objects.map(object => stringify(object, options))].join(
    '---\n',
  )

/** Whether a file was written by us, from whatever source. */
export const isGeneratedText = (text: string): boolean => text.startsWith(mark)

const mark = '# Written by `npm run generate`'

/** YAML 1.1 quotes what kubectl, which reads that version, would otherwise take for a boolean or an octal number. */
const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
