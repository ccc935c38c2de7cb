// The references of a Component, and what to render for it: its list of objects, or its chart or kustomization with the values of `valuesFrom`.
// Artifacts of registries and folders of the host are loaded here; the engine reads ConfigMaps and Secrets.
import {
  type ComponentFields,
  type ComponentSpec,
  componentName,
  type OciSource,
  type ValuesReference,
} from '../../shared/api/component.ts'
import { skipsDeleteHooks } from '../../shared/component/removed/deleting.ts'
import { isMap } from '../../shared/core/json/json.ts'
import { isDeleting, type KubeObject, versionText } from '../../shared/core/objects/object.ts'
import type { Artifact, Order, Recipe } from '../../shared/render/order.ts'
import { type PackedAs, plainPath } from '../../shared/render/unpack.ts'
import type { ValuesText } from '../../shared/render/values.ts'
import type {
  ComponentContext,
  LoadContext,
  ReferenceOption,
} from '../../shared/runtime/component/definition/definition.ts'
import { retriable } from '../../shared/runtime/component.ts'

type Component = KubeObject & ComponentFields

/** A loaded artifact, and what status.source says about it. */
type Loaded = { readonly artifact: Artifact; readonly source: { readonly digest: string; readonly version?: string } }

/** The paths that may name an artifact, and how it is packed. */
const places: readonly { path: string; packedAs: PackedAs }[] = [
  { path: 'spec.source.helm', packedAs: 'chart' },
  { path: 'spec.source.kustomize', packedAs: 'files' },
]

const directory = 'spec.source.helm.directory'

const digest = (loaded: unknown): string => (loaded as Loaded).source.digest

/** References of a Component. A change of a referenced object renders the Component again. */
export const references: readonly ReferenceOption[] = [
  {
    path: 'spec.valuesFrom.*',
    kind: ({ kind }) => (kind === 'Secret' ? 'Secret' : 'ConfigMap'),
    fallbackKeys: ['values.yaml'],
    ignoreNotFoundOnDeletion: true,
  },
  ...places.flatMap(({ path, packedAs }): ReferenceOption[] => [
    { path: `${path}.configMapRef`, kind: 'ConfigMap', whole: true, ignoreNotFoundOnDeletion: true },
    { path: `${path}.oci`, load: (value, context) => pulled(value as OciSource, packedAs, context), digest },
  ]),
  { path: directory, load: (value, context) => folder(String(value), context), digest },
]

export const artifactOf = (context: ComponentContext): Artifact => {
  for (const { path, packedAs } of places) {
    const configMap = context.reference(`${path}.configMapRef`) as KubeObject | undefined
    if (configMap) return inConfigMap(configMap, packedAs)
  }
  return loadedIn(context)?.artifact ?? nothing
}

const nothing: Artifact = { key: '', called: 'nothing', packed: { files: new Map() } }

const inConfigMap = (configMap: KubeObject, packedAs: PackedAs): Artifact => ({
  key: `${packedAs} ${versionText(configMap)}`,
  called: `ConfigMap ${configMap.metadata.name}`,
  packed: { configMap, as: packedAs },
})

/** The content of `status.source`. undefined: the source is a ConfigMap or a list of manifests. */
export const sourceOf = (context: ComponentContext): Loaded['source'] | undefined => loadedIn(context)?.source

const loadedIn = (context: ComponentContext): Loaded | undefined =>
  [...places.map(({ path }) => `${path}.oci`), directory]
    .map(path => context.reference(path) as Loaded | undefined)
    .find(loaded => loaded !== undefined)

const pulled = (source: OciSource, packedAs: PackedAs, context: LoadContext): Promise<Loaded> =>
  unlessLeaving(context, async artifacts => {
    const { secretRef, ...reference } = source
    const dockerConfig = secretRef && (await dockerConfigIn(secretRef.name, context))
    const { content, ...pulled } = await artifacts.pull({
      reference,
      dockerConfig,
      kind: packedAs,
      signal: context.signal,
    })
    const packed = { archive: content, as: packedAs }
    return { artifact: { key: `${packedAs} ${pulled.digest}`, called: source.repository, packed }, source: pulled }
  })

const folder = (path: string, context: LoadContext): Promise<Loaded> =>
  unlessLeaving(context, async artifacts => {
    const { files, digest } = await artifacts.folder(path)
    return { artifact: { key: `folder ${digest}`, called: `folder ${path}`, packed: { files } }, source: { digest } }
  })

type Load = (artifacts: NonNullable<LoadContext['artifacts']>) => Promise<Loaded>

/** During a deletion, only delete hooks need the files. A registry that does not answer must not block the deletion. */
const unlessLeaving = async ({ component, artifacts }: LoadContext, load: Load): Promise<Loaded> => {
  const { deleteHooks, source } = (component as Component).status ?? {}
  if (isDeleting(component) && (!deleteHooks || skipsDeleteHooks(component, componentName)))
    return { artifact: nothing, source: { digest: source?.digest ?? '', version: source?.version } }
  if (!artifacts) throw new Error('this process is not configured to pull artifacts')
  return load(artifacts)
}

const missingSeconds = 10

const dockerConfigIn = async (name: string, { component, localClient }: LoadContext): Promise<string> => {
  const { namespace = '' } = component.metadata
  const secret = await localClient.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })
  const text = secret && isMap(secret.data) ? secret.data['.dockerconfigjson'] : undefined
  if (typeof text === 'string') return Buffer.from(text, 'base64').toString()
  const fault = secret ? 'has no key .dockerconfigjson' : 'does not exist'
  throw retriable(
    new Error(`the Secret ${namespace}/${name} with the credentials of the registry ${fault}`),
    missingSeconds,
  )
}

/** `textOf`: the text of a reference, by its index in valuesFrom; undefined if the reference is optional and missing. */
export const order = (
  { source, valuesFrom = [] }: Pick<ComponentSpec, 'source' | 'valuesFrom'>,
  artifact: Artifact,
  textOf: (index: number) => string | undefined,
): Order => ({
  recipe: recipeOf(source),
  artifact,
  valuesFrom: valuesFrom.map(
    (reference, index): ValuesText => ({ text: textOf(index) ?? '', place: placeOf(reference, index) }),
  ),
})

const recipeOf = ({ helm, kustomize }: ComponentSpec['source']): Recipe =>
  helm ? { is: 'chart' } : { is: 'kustomization', path: plainPath(kustomize?.path ?? '') }

const placeOf = ({ kind, name, key }: ValuesReference, index: number): string =>
  `spec.valuesFrom[${index}] (${kind} ${name}, key ${key ?? 'values.yaml'})`

/** Throws if `manifests` is no list of objects. An empty list instead would delete all dependents. */
export const manifestsIn = (manifests: unknown): KubeObject[] => {
  if (!Array.isArray(manifests) || !manifests.every(isMap))
    throw new TypeError('spec.source.manifests: expected a list of objects')
  return [...manifests] as unknown as KubeObject[]
}
