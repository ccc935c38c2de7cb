// Who may import whom, as a table. Rooms are folders; a room that is not in the list of another is closed to it.
import { posix } from 'node:path'
import type { Import, Source } from './source.ts'

export type Fault = { readonly path: string; readonly fault: string }

const pureRooms = ['shared/component', 'shared/kyma', 'shared/render', 'shared/core', 'shared/api']

/** Rooms open to each room, besides itself. */
const open: Record<string, readonly string[]> = {
  'shared/api': [],
  'shared/core': ['shared/api'],
  'shared/render': ['shared/core', 'shared/api'],
  'shared/component': ['shared/render', 'shared/core', 'shared/api'],
  'shared/kyma': ['shared/core', 'shared/api'],
  'shared/kube': ['shared/core', 'shared/api'],
  'shared/outside': ['shared/core', 'shared/api'],
  'shared/runtime': [...pureRooms, 'shared/kube', 'shared/outside'],
  'shared/listener': ['shared/core'],
  'shared/http': [...pureRooms, 'shared/listener', 'shared/kube', 'shared/outside', 'shared/runtime'],
  'shared/relay': ['shared/listener', 'shared/kube', 'shared/core', 'shared/api'],
  'shared/agent': ['shared/http', 'shared/relay', 'shared/listener', 'shared/kube', 'shared/core', 'shared/api'],
  'shared/embedded': ['shared/kube', 'shared/core', 'shared/api'],
  'shared/deploy': ['shared/core', 'shared/api'],
}

/** Files of a function that may look further than the rest of it. */
const fileOpen: Record<string, readonly string[]> = {
  'index.ts': [...pureRooms, 'shared/runtime'],
  'gather.ts': [...pureRooms, 'shared/runtime', 'shared/kube'],
  'report.ts': [...pureRooms, 'shared/runtime'],
  'review.ts': [...pureRooms, 'shared/runtime', 'shared/kube'],
}

/** What a function reads may be in a folder of files. */
const openAs = (path: string): string => (/^functions\/[^/]+\/gather\//.test(path) ? 'gather.ts' : posix.basename(path))

/** Entry points and what is not part of the product: open to everything. */
const unbound = ['shared/main', 'tests', 'bench']

/** Packages that only one room may import. */
const packageOwners: Record<string, string> = { '@kubernetes/client-node': 'shared/kube' }

/** Every import that leads where its file may not look. */
export const importFaults = (file: Source): Fault[] =>
  file.imports.flatMap(one => {
    const fault = importFault(file.path, one)
    return fault === undefined ? [] : [{ path: file.path, fault }]
  })

const importFault = (path: string, { specifier }: Import): string | undefined => {
  if (specifier === undefined) return roomOf(path) === 'tests' ? undefined : 'imports something computed'
  if (!specifier.startsWith('.')) return packageFault(path, specifier)
  const target = posix.join(posix.dirname(path), specifier)
  return isOpen(path, target) ? undefined : `imports ${target}`
}

const packageFault = (path: string, specifier: string): string | undefined => {
  const owner = Object.entries(packageOwners).find(
    ([name]) => specifier === name || specifier.startsWith(`${name}/`),
  )?.[1]
  const isForeign =
    owner !== undefined && roomOf(path) !== owner && roomOf(path) !== 'tests' && roomOf(path) !== 'bench'
  return isForeign ? `imports ${specifier}, which only ${owner} may` : undefined
}

const isOpen = (path: string, target: string): boolean => {
  const [from, to] = [roomOf(path), roomOf(target)]
  if (from === to || unbound.includes(from)) return true
  if (path === 'functions/index.ts') return to.startsWith('functions/') || to === 'shared/runtime'
  const rooms = from.startsWith('functions/') ? (fileOpen[openAs(path)] ?? pureRooms) : open[from]
  return rooms?.includes(to) ?? false
}

/** `shared/kube`, `functions/istio`, `tests`. */
const roomOf = (path: string): string => {
  const [top = '', room = ''] = path.split('/')
  return top === 'tests' || top === 'bench' || room.includes('.') ? top : `${top}/${room}`
}
