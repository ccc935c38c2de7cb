// What one set of objects has otherwise than another, told as who runs the Pod sees it: flags, files and fields of other objects.
import { sameJson } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

type Pod = { readonly args: readonly string[]; readonly files: Readonly<Record<string, string>> }

type Differences = {
  readonly flags?: readonly string[]
  readonly withoutFlags?: readonly string[]
  /** By path: their text, or the object they are of. */
  readonly files?: Readonly<Record<string, string>>
  readonly withoutFiles?: readonly string[]
  readonly objects?: readonly KubeObject[]
}

export const differences = (before: readonly KubeObject[], after: readonly KubeObject[]): Differences => {
  const [old, now] = [podOf(before), podOf(after)]
  const told = {
    flags: now.args.filter(arg => !old.args.includes(arg)),
    withoutFlags: old.args.filter(arg => !now.args.some(other => flagOf(other) === flagOf(arg))),
    files: Object.fromEntries(Object.entries(now.files).filter(([path, text]) => old.files[path] !== text)),
    withoutFiles: Object.keys(old.files).filter(path => !(path in now.files)),
    objects: after.filter(object => isPlain(object) && !before.some(other => sameJson(other, object))),
  }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => Object.keys(value).length > 0))
}

const flagOf = (arg: string): string => arg.split('=')[0] ?? arg

/** Neither the Pod's own nor what it mounts. */
const isPlain = ({ kind }: KubeObject): boolean => !['Deployment', 'Secret', 'ConfigMap'].includes(kind)

type Volume = { readonly name: string; readonly secret?: { secretName: string }; readonly configMap?: { name: string } }
type Templated = { readonly spec: { readonly template: { readonly spec: PodSpec } } }
type PodSpec = {
  readonly volumes: readonly Volume[]
  readonly containers: readonly {
    readonly args: readonly string[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
}

/** The one Pod of the Deployment among them. */
export const podOf = (objects: readonly KubeObject[]): Pod => {
  const [deployment] = objects.filter(({ kind }) => kind === 'Deployment') as (KubeObject & Templated)[]
  if (deployment === undefined) throw new TypeError('there is no Deployment')
  const { volumes, containers } = deployment.spec.template.spec
  const [container] = containers
  const files = (container?.volumeMounts ?? []).flatMap(({ name, mountPath }) =>
    filesOf(objects, { mountPath, volume: volumes.find(volume => volume.name === name) }),
  )
  return { args: container?.args ?? [], files: Object.fromEntries(files) }
}

type Mounted = { readonly mountPath: string; readonly volume?: Volume }

const filesOf = (objects: readonly KubeObject[], { mountPath, volume }: Mounted): [string, string][] => {
  const [kind, name] = volume?.configMap ? ['ConfigMap', volume.configMap.name] : ['Secret', volume?.secret?.secretName]
  const object = objects.find(other => other.kind === kind && other.metadata.name === name)
  if (object === undefined) return [[mountPath, `${kind} ${name}`]]
  const texts = Object.entries((object.data ?? {}) as Record<string, string>)
  return texts.map(([key, text]) => [
    `${mountPath}/${key}`,
    kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text,
  ])
}
