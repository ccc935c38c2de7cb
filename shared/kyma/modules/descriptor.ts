// Reads component descriptors, version 2 of the Open Component Model: the parts of a module, and where its layers are stored.
import type { Reading } from '../../core/decisions/reading.ts'
import { sha256Hex } from '../../core/digest.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../core/json/json.ts'
import { isIntricate, type JsonBounds } from '../../core/json/json-bounds.ts'
import { remembered } from '../../core/memory/remembered.ts'

export type ModuleDescriptor = {
  /** For example, `kyma-project.io/module/telemetry`. */
  readonly component: string
  readonly version: string
  /** The repository of the layers in the registry, below `component-descriptors/`. Absent: the component is in no registry. */
  readonly repository?: string
  readonly resources: readonly JsonMap[]
  /** The whole document, as it was read. */
  readonly document: JsonMap
}

export type ModuleLayer = { readonly ref: string; readonly type: 'oci-dir' | 'oci-ref' }

const bytesMost = 100 * 1024

/**
 * Real descriptors have 10 levels and some hundred values. A response of a runtime may have at most 200 levels and 500,000 values, so a catalogue
 * with much larger templates could not be read. Thousands of levels would exceed the memory of a call.
 */
const templateBounds: JsonBounds = { depth: 100, values: 20_000 }

/** Cached, because each Kyma needs the result for each of its ModuleTemplates and channels. */
export const isTooIntricate = remembered((part: object): boolean => isIntricate(part, templateBounds))

export const tooIntricate = `has more than ${templateBounds.depth} levels or ${templateBounds.values} values`

/** Whether the ModuleTemplate contains the descriptor. Otherwise the descriptor is in the registry. */
export const namesComponent = (document: JsonMap): boolean => isText(mapOrEmpty(document.component).name)

/** `failed` names the faulty field. Cached, because a pass calls this two or three times per module. */
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

/** The layer of the resource with this name. undefined: the component has no such resource. */
export const layerNamed = (name: string, descriptor: ModuleDescriptor): Reading<ModuleLayer | undefined> => {
  const resource = descriptor.resources.find(one => one.name === name)
  if (!resource || !descriptor.repository) return { read: undefined }
  const { type, mediaType } = mapOrEmpty(resource.access)
  if (!isLocalBlob(resource)) return { failed: `resource ${name} has the unknown access type ${JSON.stringify(type)}` }
  const ref = blobReference(resource)
  if (!isText(ref) || !/^sha256:[0-9a-f]{64}$/.test(ref))
    return { failed: `resource ${name} has the reference ${JSON.stringify(ref)}, which is not a digest` }
  return { read: { ref, type: mediaType === 'application/x-tar' ? 'oci-dir' : 'oci-ref' } }
}

/** Whether the resource is stored together with the descriptor, as a layer of its component. */
export const isLocalBlob = ({ access }: JsonMap): boolean =>
  /^local(Oci)?Blob(\/v1)?$/.test(shownText(mapOrEmpty(access).type))

/** The reference to the layer of a local resource: a digest, unless the descriptor has a fault. */
export const blobReference = ({ access }: JsonMap): unknown => {
  const { localReference, digest } = mapOrEmpty(access)
  return localReference ?? digest
}

/** The images of the component. Their references name the registry in which they are now. */
export const imagesOf = ({ resources }: ModuleDescriptor): string[] =>
  resources
    .filter(({ type }) => type === 'ociArtifact')
    .map(({ access }) => mapOrEmpty(access).imageReference)
    .filter(isText)

type Mapping = (component: string) => string

/** How the name of a component's repository is derived, by `componentNameMapping`. */
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
