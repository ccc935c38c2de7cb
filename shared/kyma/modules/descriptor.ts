// Reads component descriptors, version 2 of the Open Component Model: what a module is made of, and where its layers lie.
import type { Reading } from '../../core/decisions/reading.ts'
import { sha256Hex } from '../../core/digest.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../core/json/json.ts'
import { isIntricate, type JsonBounds } from '../../core/json/json-bounds.ts'
import { remembered } from '../../core/memory/remembered.ts'

export type ModuleDescriptor = {
  /** Such as `kyma-project.io/module/telemetry`. */
  readonly component: string
  readonly version: string
  /** Of the layers, below `component-descriptors/` in the registry. Absent: the component lies in no registry. */
  readonly repository?: string
  readonly resources: readonly JsonMap[]
  /** As it was written. */
  readonly document: JsonMap
}

export type ModuleLayer = { readonly ref: string; readonly type: 'oci-dir' | 'oci-ref' }

const bytesMost = 100 * 1024

/**
 * Descriptors have ten levels and some hundred values. A catalogue with far more could not be read from a runtime any more, whose answers may have
 * 200 and half a million; and some thousand levels are more than a call has room for.
 */
const templateBounds: JsonBounds = { depth: 100, values: 20_000 }

/** Asked of one ModuleTemplate by each Kyma that may have it, for each of its channels. */
export const isTooIntricate = remembered((part: object): boolean => isIntricate(part, templateBounds))

/** What is said of such a part. */
export const tooIntricate = `has more than ${templateBounds.depth} levels or ${templateBounds.values} values`

/** Whether the ModuleTemplate holds the descriptor itself; otherwise it lies in the registry. */
export const namesComponent = (document: JsonMap): boolean => isText(mapOrEmpty(document.component).name)

/** The reason why a document is no descriptor names the field. A pass asks it two or three times for each module. */
export const moduleDescriptor = remembered((document: JsonMap): Reading<ModuleDescriptor> => {
  if (isTooIntricate(document)) return { failed: `component descriptor ${tooIntricate}` }
  if (Buffer.byteLength(JSON.stringify(document)) > bytesMost)
    return { failed: `component descriptor has more than ${bytesMost} bytes` }
  const { name, version, repositoryContexts, resources } = mapOrEmpty(document.component)
  if (!isText(name)) return { failed: 'component descriptor has no component.name' }
  if (!isText(version)) return { failed: 'component descriptor has no component.version' }
  const context = mapsIn(repositoryContexts).at(-1)
  const repository = context ? repositoryOf(name, context) : undefined
  if (repository && 'failed' in repository) return repository
  const read = { component: name, version, resources: mapsIn(resources), document }
  return { read: { ...read, ...(repository && { repository: repository.read }) } }
})

/** The layer that is the resource of this name; undefined: the component has none. */
export const layerNamed = (name: string, descriptor: ModuleDescriptor): Reading<ModuleLayer | undefined> => {
  const resource = descriptor.resources.find(one => one.name === name)
  if (!resource || !descriptor.repository) return { read: undefined }
  const { type, mediaType } = mapOrEmpty(resource.access)
  if (!isLocalBlob(resource)) return { failed: `resource ${name} has the unknown access type ${JSON.stringify(type)}` }
  const ref = blobReference(resource)
  if (!isText(ref) || !/^sha256:[0-9a-f]{64}$/.test(ref))
    return { failed: `resource ${name} has the reference ${JSON.stringify(ref)}, which is no digest` }
  return { read: { ref, type: mediaType === 'application/x-tar' ? 'oci-dir' : 'oci-ref' } }
}

/** Whether the resource lies beside the descriptor, as a layer of its component. */
export const isLocalBlob = ({ access }: JsonMap): boolean =>
  /^local(Oci)?Blob(\/v1)?$/.test(shownText(mapOrEmpty(access).type))

/** What names the layer of a resource that lies beside the descriptor: a digest, if all is well. */
export const blobReference = ({ access }: JsonMap): unknown => {
  const { localReference, digest } = mapOrEmpty(access)
  return localReference ?? digest
}

/** The images that the component names, in the registry where they lie by now. */
export const imagesOf = ({ resources }: ModuleDescriptor): string[] =>
  resources
    .filter(({ type }) => type === 'ociArtifact')
    .map(({ access }) => mapOrEmpty(access).imageReference)
    .filter(isText)

type Mapping = (component: string) => string

/** How the repository of a component is called, by its `componentNameMapping`. */
const mappings: Readonly<Record<string, Mapping>> = {
  urlPath: component => component,
  'sha256-digest': sha256Hex,
}

const repositoryOf = (component: string, { componentNameMapping = 'urlPath' }: JsonMap): Reading<string> => {
  const called = shownText(componentNameMapping)
  const mapping = Object.hasOwn(mappings, called) ? mappings[called] : undefined
  return mapping
    ? { read: mapping(component) }
    : { failed: `component descriptor has the unknown componentNameMapping ${JSON.stringify(componentNameMapping)}` }
}
