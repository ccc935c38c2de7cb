// A chain as text for a terminal, 80 columns wide: an object, what it says, and below it the parts that it waits for. Pure.
import type { Link } from '../../runtime/why/chain.ts'
import { wrapped } from '../start/terminal.ts'

const columns = 80

export const chainText = (link: Link, now: Date, depth = 0): string => {
  const line = (text: string) => wrapped(`${'  '.repeat(depth)}${text}`, depth * 2 + 4, columns)
  return [
    line(headOf(link, now)),
    ...link.says.map(sentence => line(`  ${sentence}`)),
    ...link.because.map(one => chainText(one, now, depth + 1)),
    ...(link.more ? [line(`  and ${link.more} more`)] : []),
  ].join('\n')
}

const headOf = ({ object, on, is, since }: Link, now: Date): string =>
  `${object}${on ? ` in ${on}` : ''}: ${is}${since ? ` for ${ageText(since, now)}` : ''}`

/** In two units at most. Example: `2h5m` */
export const ageText = (since: string, now: Date): string => {
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return hours > 0 ? `${days}d${hours}h` : `${days}d`
  if (hours > 0) return minutes > 0 ? `${hours}h${minutes}m` : `${hours}h`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}
