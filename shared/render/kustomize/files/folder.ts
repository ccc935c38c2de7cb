// The folder of a kustomization in its artifact. The kustomization may read files in or below its own folder, and other folders anywhere in
// the artifact.
import { type Blame, blaming, type Files, RenderError } from '../../generator.ts'

export type Folder = {
  readonly files: Files
  readonly path: string
  readonly referrer: Folder | undefined
}

export const readText = (folder: Folder, path: string): string => new TextDecoder().decode(readBytes(folder, path))

type InFolder = { readonly folder: Folder; readonly path: string; readonly kind?: Blame['kind'] }

export const fromFile = <Result>(
  { folder, path, kind = 'settings' }: InFolder,
  use: (text: string) => Result,
): Result => {
  const text = readText(folder, path)
  return blaming({ kind, file: placeIn(folder, path) }, () => use(text))
}

export const readBytes = (folder: Folder, path: string): Uint8Array => {
  const file = placeIn(folder, path)
  if (!isBelow(file, folder.path))
    throw new RenderError(`security; file '${path}' is not in or below '${shown(folder)}'`)
  const content = folder.files.get(file)
  if (content === undefined) throw new RenderError(`'${path}' is not a file in '${shown(folder)}'`)
  return content
}

export const hasFile = (folder: Folder, path: string): boolean => folder.files.has(placeIn(folder, path))

export const subfolder = (folder: Folder, path: string): Folder => {
  if (path === '') throw new RenderError('the path of a resource is empty')
  const place = placeIn(folder, path)
  if (![...folder.files.keys()].some(file => isBelow(file, place)))
    throw new RenderError(`'${path}' is neither a file nor a folder in '${shown(folder)}'`)
  refuseCycle(folder, place)
  return { files: folder.files, path: place, referrer: folder }
}

const refuseCycle = (from: Folder, place: string): void => {
  for (let visited: Folder | undefined = from; visited; visited = visited.referrer)
    if (visited.path === place || isBelow(visited.path, place))
      throw new RenderError(
        `cycle detected: '${shown(visited)}' leads to '${place || '.'}', which contains '${shown(visited)}'`,
      )
}

const shown = ({ path }: Folder): string => path || '.'

/** The path relative to the artifact. Throws RenderError for a path that leads outside the artifact. */
const placeIn = (folder: Folder, path: string): string => {
  if (isRemote(path)) throw new RenderError(`'${path}' is remote; a kustomization can use only files in its artifact`)
  if (path.startsWith('/')) throw new RenderError(`'${path}' is an absolute path; expected a path in the artifact`)
  const place = cleanPath(joined(folder.path, path))
  if (leadsUp(place)) throw new RenderError(`'${path}' leads outside the artifact`)
  return place
}

/** Whether the path is a URL, a short form of git or ssh, or a GitHub address without a scheme. */
const isRemote = (path: string): boolean =>
  /^([a-z][a-z+.-]*:\/\/|git::|[\w.-]+@[\w.-]+:|github\.com[/:])/i.test(path) || /\.git(\/|\?|$)|\?ref=/.test(path)

/** `a//./b/../c` becomes `a/c`. A path that leads upwards begins with `..`. */
export const cleanPath = (path: string): string => {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

export const leadsUp = (path: string): boolean => path === '..' || path.startsWith('../')

export const joined = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)

export const isBelow = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`)
