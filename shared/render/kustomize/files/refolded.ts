// kustomize writes every object as YAML once more before it prints it, scalars behind `>` behind `>` again. What its writer folds is not
// always what its reader unfolds: a line break too many stands before a line that begins with a blank, and at the end of a text
// that is to keep all of its breaks; none is left between words where the text itself begins with a blank.
import { isSpecialText } from '../../template/yaml/scalars.ts'

/** The text of a folded scalar after it was written and read again. */
export const refolded = (text: string): string => {
  // It is written in quotes, then.
  if (isSpecialText(text.replaceAll('\t', '')) || text.endsWith(' ')) return text
  const adds = /^\n*[^ \t\n]/.test(text)
  const lines = /([^\n]+)(\n*)/g
  return text.replace(lines, (_, line: string, breaks: string, at: number) => {
    const next = text[at + line.length + breaks.length]
    return line + (startsBlank(line) ? breaks : between(breaks, next, adds))
  })
}

const startsBlank = (text: string | undefined): boolean => text !== undefined && /^[ \t]/.test(text)

/** The breaks behind a line of words, after which this follows; `adds` is whether the writer made one more of them. */
const between = (breaks: string, next: string | undefined, adds: boolean): string => {
  if (next === undefined) return adds && breaks.length > 1 ? `${breaks}\n` : breaks
  if (startsBlank(next)) return adds ? `${breaks}\n` : breaks
  return adds ? breaks : breaks.slice(1) || ' '
}
