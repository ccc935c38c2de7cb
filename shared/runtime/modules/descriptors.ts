// Pulls component descriptors from the registry for ModuleTemplates without a descriptor, by the name in the ModuleReleaseMeta.
import { attempted, type Reading } from '../../core/decisions/reading.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { readYaml } from '../../core/yaml/read.ts'
import { namesComponent } from '../../kyma/modules/descriptor.ts'
import type { FoundModule } from '../../kyma/modules/look-up.ts'
import type { RegistrySettings } from '../../kyma/settings.ts'
import { filesInTar } from '../../render/unpack.ts'
import type { RegistryCall } from './registry-call.ts'

const fileName = 'component-descriptor.yaml'
const descriptorBytesMost = 2 ** 20

type Chosen = { readonly settings: RegistrySettings }
type Pulled = ReadonlyMap<string, Reading<JsonMap>>

/** Descriptors by the name of the ModuleTemplate. */
export const pulledDescriptors = async (
  found: readonly FoundModule[],
  world: Chosen,
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
  { settings }: Chosen,
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
