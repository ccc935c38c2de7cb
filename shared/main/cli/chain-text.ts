// A chain as text for a terminal, 80 columns wide: an object with its messages, and below it the parts for which it waits. Pure.
import type { Link } from '../../runtime/why/chain.ts'
import { ageText } from '../../runtime/why/explanation.ts'
import { columns, wrapped } from '../start/terminal.ts'

/** An object with its messages, and below it the parts for which it waits, 80 columns wide. */
export const chainText = (link: Link, now: Date, depth = 0): string => {
  const line = (text: string) => wrapped(`${'  '.repeat(depth)}${text}`, depth * 2 + 4, columns)
  return [
    line(headOf(link, now)),
    ...link.says.map(sentence => line(`  ${sentence}`)),
    ...link.because.map(one => chainText(one, now, depth + 1)),
    ...(link.more ? [line(`  and ${link.more} more`)] : []),
  ].join('\n')
}

const headOf = ({ object, on, wave, is, since }: Link, now: Date): string =>
  `${object}${wave ? ` (wave ${wave})` : ''}${on ? ` in ${on}` : ''}: ${is}${since ? ` for ${ageText(since, now)}` : ''}`
