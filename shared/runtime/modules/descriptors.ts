// Pulls component descriptors from the registry for ModuleTemplates without a descriptor, and reads what checks of descriptor signatures
// need: Secrets with keys, and digests of layers.
import { kymaNames } from '../../api/kyma/names.ts'
import { attempted, type Reading } from '../../core/decisions/reading.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { readYaml } from '../../core/yaml/read.ts'
import { atOnce } from '../../kube/at-once.ts'
import type { Reads } from '../../kube/client-types.ts'
import { type ModuleDescriptor, namesComponent } from '../../kyma/modules/descriptor.ts'
import type { FoundModule } from '../../kyma/modules/look-up.ts'
import {
  type ModuleVersion,
  type SignatureEvidence,
  type SignedLayer,
  signatureFault,
  signatureOf,
  signedLayers,
} from '../../kyma/modules/signature.ts'
import type { RegistrySettings } from '../../kyma/settings.ts'
import { filesInTar } from '../../render/unpack.ts'
import type { RegistryCall } from './registry-call.ts'

const fileName = 'component-descriptor.yaml'
const descriptorBytesMost = 2 ** 20

type HasRegistry = { readonly settings: RegistrySettings }
type Pulled = ReadonlyMap<string, Reading<JsonMap>>

/** Descriptors by the name of the ModuleTemplate. */
export const pulledDescriptors = async (
  found: readonly FoundModule[],
  world: HasRegistry,
  call: RegistryCall,
): Promise<Pulled> => {
  const missing = found.filter(
    ({ template, meta }) => !namesComponent(template.spec.descriptor) && meta?.spec.ocmComponentName,
  )
  const pulled = missing.map(async one => [one.template.metadata.name, await descriptorOf(one, world, call)] as const)
  return new Map(await Promise.all(pulled))
}

const descriptorOf = async (
  found: FoundModule,
  { settings }: HasRegistry,
  call: RegistryCall,
): Promise<Reading<JsonMap>> => {
  const { registry } = settings
  const component = found.meta?.spec.ocmComponentName ?? ''
  const version = found.template.spec.version || found.version || ''
  if (registry === undefined) return { failed: `${component}:${version} cannot be pulled: set the registry` }
  const layer = await call.componentLayer({ registry, component, version })
  return 'failed' in layer ? layer : attempted(() => documentIn(layer.read))
}

const documentIn = (layer: Uint8Array): JsonMap => {
  for (const { name, content } of filesInTar(layer, { bytes: descriptorBytesMost, entries: 100 })) {
    if (name !== fileName) continue
    if (content.length > descriptorBytesMost) throw new Error(`${fileName} has more than ${descriptorBytesMost} bytes`)
    const document = readYaml(Buffer.from(content).toString('utf8'))
    if (isMap(document)) return document
  }
  throw new Error(`the layer contains no ${fileName} with a component descriptor`)
}

/** Limit, because each layer is in memory until it is hashed, and a descriptor may have hundreds of layers. */
const layersAtOnce = 2

type NamedModule = { readonly name: string; readonly module: ModuleVersion }
type From = { readonly reads: Pick<Reads, 'list'>; readonly call: RegistryCall }

/** Reads nothing for modules that need no signature. Reads no layers for modules with an invalid signature. */
export const signatures = async (
  modules: readonly NamedModule[],
  world: HasRegistry,
  from: From,
): Promise<SignatureEvidence> => {
  const signed = modules.flatMap(({ name: module, module: { template, descriptor } }) => {
    const name = signatureOf(template, world)
    return name === undefined ? [] : { name, module, descriptor }
  })
  const names = [...new Set(signed.map(({ name }) => name))]
  const signatureSecrets = new Map(
    await Promise.all(names.map(async name => [name, await secretsFor(name, from.reads)] as const)),
  )
  const verified = signed.filter(({ name, module, descriptor }) => {
    const secrets = signatureSecrets.get(name) ?? []
    return signatureFault(descriptor.document, { name, module, secrets }) === undefined
  })
  const layers = verified.flatMap(({ descriptor }) => layersOf(descriptor, world))
  const asked = layers.map(({ ref, hash, repository }) => async () => {
    const found = await from.call.layerDigests({ repository, digest: ref, hash })
    return [`${ref} ${hash}`, found] as const
  })
  const digests = await atOnce(asked, layersAtOnce)
  return { signatureSecrets, layerDigests: new Map(digests) }
}

const secretsFor = (name: string, reads: Pick<Reads, 'list'>): Promise<KubeObject[]> => {
  const labelSelector = `${kymaNames.labels.signature}=${name}`
  return reads.list({ apiVersion: 'v1', kind: 'Secret', namespace: kymaNames.namespaces.controlPlane, labelSelector })
}

type PulledLayer = SignedLayer & { readonly repository: string }

const layersOf = (descriptor: ModuleDescriptor, { settings }: HasRegistry): PulledLayer[] => {
  const layers = signedLayers(descriptor)
  const repository = `${settings.registry ?? ''}/component-descriptors/${descriptor.repository ?? ''}`
  return 'read' in layers ? layers.read.map(layer => ({ ...layer, repository })) : []
}
