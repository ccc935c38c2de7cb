// The volumes of a Pod as folders on this machine: what a kubelet would mount, written below a fresh folder. Paths and hosts in mounted texts become
// local, like those in arguments (pod-process.ts).
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** Finds a Secret or ConfigMap of the Pod's namespace in its present state. */
export type FindMounted = (
  kind: 'Secret' | 'ConfigMap',
  name: string,
) => KubeObject | undefined | Promise<KubeObject | undefined>

type Item = { readonly key: string; readonly path: string }
type Source = { readonly items?: readonly Item[]; readonly optional?: boolean }
type Projection = {
  readonly secret?: Source & { readonly name: string }
  readonly configMap?: Source & { readonly name: string }
}

export type Volume = {
  readonly name: string
  readonly secret?: Source & { readonly secretName: string }
  readonly configMap?: Source & { readonly name: string }
  readonly projected?: { readonly sources: readonly Projection[] }
  readonly emptyDir?: object
}

export type VolumeMount = { readonly name: string; readonly mountPath: string; readonly subPath?: string }

export type Mounts = {
  readonly volumes: readonly Volume[]
  readonly mounts: readonly VolumeMount[]
  readonly find: FindMounted
  /** Turns a path in the container into a path on this machine. */
  readonly place: (path: string) => string
  readonly localText: (text: string) => string
}

/** Writes the files of all mounts. A missing Secret or ConfigMap that is not optional is an error, as for a kubelet. */
export async function writeMounts({ volumes, mounts, ...how }: Mounts): Promise<void> {
  for (const mount of mounts) {
    const volume = volumes.find(({ name }) => name === mount.name)
    if (!volume) throw new Error(`there is no volume ${mount.name}`)
    const files = await filesOf(volume, how.find)
    if (mount.subPath === undefined) await mkdir(how.place(mount.mountPath), { recursive: true })
    for (const [path, content] of wanted(files, mount)) await writeText(how.place(path), content, how)
  }
}

type Files = ReadonlyMap<string, Buffer>

/** Files by their paths in the container. */
const wanted = (files: Files, { mountPath, subPath }: VolumeMount): [string, Buffer][] =>
  [...files].flatMap(([path, content]): [string, Buffer][] => {
    if (subPath === undefined) return [[join(mountPath, path), content]]
    return path === subPath ? [[mountPath, content]] : []
  })

const writeText = async (path: string, content: Buffer, { localText }: Pick<Mounts, 'localText'>): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, localText(content.toString()), { mode: 0o600 })
}

const filesOf = async (volume: Volume, find: FindMounted): Promise<Files> => {
  const sources = volume.projected?.sources ?? [projectionOf(volume)]
  const files = await Promise.all(
    sources.flatMap(({ secret, configMap }) => [
      ...(secret ? [filesIn(secret, 'Secret', find)] : []),
      ...(configMap ? [filesIn(configMap, 'ConfigMap', find)] : []),
    ]),
  )
  return new Map(files.flat())
}

const projectionOf = ({ secret, configMap }: Volume): Projection => ({
  ...(secret && { secret: { ...secret, name: secret.secretName } }),
  ...(configMap && { configMap }),
})

const filesIn = async (
  source: Source & { readonly name: string },
  kind: 'Secret' | 'ConfigMap',
  find: FindMounted,
): Promise<[string, Buffer][]> => {
  const object = await find(kind, source.name)
  if (!object && source.optional) return []
  if (!object) throw new Error(`${kind} ${source.name} is to be mounted and is not there`)
  const { data = {} } = object as { data?: Record<string, string> }
  const items = source.items ?? Object.keys(data).map(key => ({ key, path: key }))
  return items.flatMap(({ key, path }): [string, Buffer][] => {
    const text = data[key]
    if (text !== undefined) return [[path, Buffer.from(text, kind === 'Secret' ? 'base64' : 'utf8')]]
    if (source.optional) return []
    throw new Error(`${kind} ${source.name} has no key ${key}, which is to be mounted`)
  })
}
