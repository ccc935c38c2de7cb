// Who may import whom, as ARCHITECTURE.md's table of rooms says. Rooms are folders; a room that is not in the row of another is closed
// to it.
import { posix } from 'node:path'
import type { Import, Source } from './source.ts'

export type Fault = { readonly path: string; readonly fault: string }

/** A row of the table: the files it is about, and the rooms that are open to them besides their own. */
export type ImportRow = {
  readonly names: string
  readonly files: RegExp
  readonly rooms: readonly string[] | 'everything'
}

/** What is not part of the product is open to everything. */
const unbound = ['tests', 'bench', 'docs']

/** Packages that only one room may import. */
const packageOwners: Record<string, string> = { '@kubernetes/client-node': 'shared/kube' }

/** It imports functions of somebody's own, whose paths nobody knows before. */
const ownModules = 'shared/main/own/own-functions.ts'

/** Names that only these files may import, by the file that exports them. */
const nameOwners: Record<string, { readonly names: readonly string[]; readonly owners: RegExp }> = {
  'shared/kube/clusters/read-only.ts': {
    names: ['writable', 'writableClusters'],
    owners: /^shared\/(runtime\/(pass|planned(-steps)?)|kube\/writes\/perform-step)\.ts$/,
  },
}

/** The rows of the table: | `paths` | what they hold | rooms of `shared`, everything, or what is open besides what the room's row says |. */
export const importTable = (architecture: string): ImportRow[] => {
  const cells = [...architecture.matchAll(/^\| (`(?:functions|shared)\/.*`) \|.*\| ([^|]+) \|$/gm)]
  const roomOfFunctions = cells.find(([, paths]) => paths === '`functions/*`')?.[2] ?? ''
  return cells.map(([, names = '', open = '']) => ({
    names,
    files: new RegExp(`^(${[...names.matchAll(/`([^`]+)`/g)].map(([, path = '']) => pattern(path)).join('|')})`),
    rooms: open === 'everything' ? open : roomsIn(open.startsWith('also ') ? `${roomOfFunctions}, ${open}` : open),
  }))
}

const roomsIn = (open: string): string[] => {
  const names = open.replace('also ', '').split(', ')
  return names.filter(name => name !== 'nothing').map(name => `shared/${name}`)
}

/** `functions/*` and `{a,b}.ts`; a path without an ending is a folder. */
const pattern = (path: string): string => {
  const text = escaped(path)
    .replaceAll('\\*', '[^/]+')
    .replace(/\\\{(.*)\\\}/, (_, names) => `(${names.replaceAll(',', '|')})`)
  return /\.ts$/.test(path) ? `${text}$` : `${text.replace(/\/$/, '')}/`
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** One row per room, and one room per row. */
export const tableFaults = (table: readonly ImportRow[], paths: readonly string[]): Fault[] => {
  const fault = (fault: string): Fault => ({ path: 'ARCHITECTURE.md', fault })
  const product = paths.filter(path => /^(functions|shared)\//.test(path))
  const rooms = [...new Set(product.map(roomOf).map(room => room.replace(/^functions\/.*/, 'functions/*')))]
  const rowsOf = (room: string): number => table.filter(({ names }) => names === `\`${room}\``).length
  return [
    ...rooms
      .filter(room => room !== 'functions')
      .filter(room => rowsOf(room) !== 1)
      .map(room => fault(`has not one row for ${room}`)),
    ...table
      .filter(({ files }) => !product.some(path => files.test(path)))
      .map(({ names }) => fault(`has a row for ${names}`)),
    ...table
      .flatMap(({ rooms: open }) => (open === 'everything' ? [] : open))
      .filter(room => !product.some(path => path.startsWith(`${room}/`)))
      .map(room => fault(`opens ${room}, which is not there`)),
  ]
}

/** Every import that leads where its file may not look. */
export const importFaults = (table: readonly ImportRow[], file: Source): Fault[] =>
  file.imports.flatMap(one => {
    const fault = importFault(table, file.path, one)
    return fault === undefined ? [] : [{ path: file.path, fault }]
  })

const importFault = (table: readonly ImportRow[], path: string, { specifier, names }: Import): string | undefined => {
  if (specifier === undefined)
    return roomOf(path) === 'tests' || path === ownModules ? undefined : 'imports something computed'
  if (!specifier.startsWith('.')) return packageFault(path, specifier)
  const target = posix.join(posix.dirname(path), specifier)
  return isOpen(table, path, target) ? nameFault(path, target, names) : `imports ${target}`
}

const nameFault = (path: string, target: string, names: readonly string[] | undefined): string | undefined => {
  const owned = nameOwners[target]
  if (!owned || owned.owners.test(path) || unbound.includes(roomOf(path))) return undefined
  const taken = names?.filter(name => owned.names.includes(name)) ?? owned.names
  return taken.length > 0
    ? `imports ${taken.join(', ')} of ${target}, which only the performing of steps may`
    : undefined
}

const packageFault = (path: string, specifier: string): string | undefined => {
  const owner = Object.entries(packageOwners).find(
    ([name]) => specifier === name || specifier.startsWith(`${name}/`),
  )?.[1]
  const isForeign = owner !== undefined && ![owner, ...unbound].includes(roomOf(path))
  return isForeign ? `imports ${specifier}, which only ${owner} may` : undefined
}

const isOpen = (table: readonly ImportRow[], path: string, target: string): boolean => {
  const [from, to] = [roomOf(path), roomOf(target)]
  if (from === to || unbound.includes(from)) return true
  if (path === 'functions/index.ts' && to.startsWith('functions/')) return true
  const rooms = rowOf(table, path)?.rooms ?? []
  return rooms === 'everything' || rooms.includes(to)
}

/** The row with the longest name: that of a file or folder of a function before that of the function. */
const rowOf = (table: readonly ImportRow[], path: string): ImportRow | undefined =>
  table.filter(({ files }) => files.test(path)).sort((a, b) => b.names.length - a.names.length)[0]

/** `shared/kube`, `functions/istio`, `tests`. */
const roomOf = (path: string): string => {
  const [top = '', room = ''] = path.split('/')
  return unbound.includes(top) || room.includes('.') ? top : `${top}/${room}`
}
