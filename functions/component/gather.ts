// What a Component refers to, and how it is read: artifacts from registries and the host's own charts here, ConfigMaps and
// Secrets by the engine.
import { type ComponentFields, componentName, type OciSource } from '../../shared/api/component.ts'
import { configMapFiles, type PackedAs, unpackedAs } from '../../shared/component/archive/config-map.ts'
import { skipsDeleteHooks } from '../../shared/component/delete-hooks.ts'
import type { Files } from '../../shared/component/generator.ts'
import { isMap } from '../../shared/core/json.ts'
import { isDeleting, type KubeObject } from '../../shared/core/object.ts'
import type { ComponentContext, LoadContext, ReferenceOption } from '../../shared/runtime/component/definition.ts'
import { retriable } from '../../shared/runtime/component.ts'

type Component = KubeObject & ComponentFields

/** Files that were loaded, and the artifact they are from. */
type Loaded = { readonly files: Files; readonly artifact: { readonly digest: string; readonly version?: string } }

/** Where an artifact may be named, and as what it is packed. */
const places: readonly { path: string; packedAs: PackedAs }[] = [
  { path: 'spec.source.helm', packedAs: 'chart' },
  { path: 'spec.source.kustomize', packedAs: 'files' },
]

const directory = 'spec.source.helm.directory'

const digest = (loaded: unknown): string => (loaded as Loaded).artifact.digest

/** All that makes a Component another one besides itself. */
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

/** The files that the references led to. Throws RenderError where a ConfigMap holds none that are proper. */
export const filesOf = (context: ComponentContext): Files => {
  for (const { path, packedAs } of places) {
    const configMap = context.reference(`${path}.configMapRef`)
    if (configMap) return configMapFiles(configMap as KubeObject, packedAs)
  }
  return loadedIn(context)?.files ?? new Map()
}

/** The artifact at work; undefined where there is none but what the API server holds. */
export const artifactOf = (context: ComponentContext): Loaded['artifact'] | undefined => loadedIn(context)?.artifact

const loadedIn = (context: ComponentContext): Loaded | undefined =>
  [...places.map(({ path }) => `${path}.oci`), directory]
    .map(path => context.reference(path) as Loaded | undefined)
    .find(loaded => loaded !== undefined)

const pulled = (source: OciSource, packedAs: PackedAs, context: LoadContext): Promise<Loaded> =>
  unlessLeaving(context, async artifacts => {
    const { secretRef, ...reference } = source
    const dockerConfig = secretRef && (await dockerConfigIn(secretRef.name, context))
    const { content, ...artifact } = await artifacts.pull({
      ...{ reference, dockerConfig },
      kind: packedAs,
      signal: context.signal,
    })
    return { files: unpackedAs(packedAs, content), artifact }
  })

const folder = (path: string, context: LoadContext): Promise<Loaded> =>
  unlessLeaving(context, async artifacts => {
    const { files, digest } = await artifacts.folder(path)
    return { files, artifact: { digest } }
  })

type Load = (artifacts: NonNullable<LoadContext['artifacts']>) => Promise<Loaded>

/** A Component that goes needs its files for delete hooks only: a registry that is away must not hold it. */
const unlessLeaving = async ({ component, artifacts }: LoadContext, load: Load): Promise<Loaded> => {
  const { deleteHooks, source } = (component as Component).status ?? {}
  if (isDeleting(component) && (!deleteHooks || skipsDeleteHooks(component, componentName)))
    return { files: new Map(), artifact: { digest: source?.digest ?? '', version: source?.version } }
  if (!artifacts) throw new Error('this host reads no artifacts')
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
