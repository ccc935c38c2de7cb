// Paths with slashes: Go's path package. The os functions are the same, since what is rendered runs on Linux.
import { type FunctionTable, fn } from '../value/signature.ts'

/** Without `.`, `..` and doubled slashes; `.` for nothing. */
const clean = (path: string): string => {
  const isRooted = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!isRooted) parts.push(part)
  }
  const text = (isRooted ? '/' : '') + parts.join('/')
  return text === '' ? '.' : text
}

/** The last element. */
const base = (path: string): string => {
  if (path === '') return '.'
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

const directory = (path: string): string => clean(path.slice(0, path.lastIndexOf('/') + 1))

const extension = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot)
}

const rows: FunctionTable = {
  base: fn('string', base),
  clean: fn('string', clean),
  dir: fn('string', directory),
  ext: fn('string', extension),
  isAbs: fn('string', path => path.startsWith('/')),
}

export const paths: FunctionTable = {
  ...rows,
  ...Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [`os${name[0]?.toUpperCase()}${name.slice(1)}`, row]),
  ),
}
