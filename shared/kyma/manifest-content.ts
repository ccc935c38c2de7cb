// The desired Manifest of a module for one Kyma, built from the module's ModuleTemplate and descriptor.
import { kymaNames } from '../api/kyma/names.ts'
import { manifestKind } from '../api/kyma.ts'
import type { Reading } from '../core/decisions/reading.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import type { Kyma, Manifest, ModuleEntry, ModuleTemplate } from './kinds.ts'
import { isRemote, syncNamespace } from './kyma-runtime.ts'
import { manifestName } from './manifests.ts'
import {
  imagesOf,
  isTooIntricate,
  layerNamed,
  type ModuleDescriptor,
  type ModuleLayer,
  tooIntricate,
} from './modules/descriptor.ts'

type ModuleToInstall = {
  readonly kyma: Kyma
  readonly module: string
  readonly template: ModuleTemplate
  readonly descriptor: ModuleDescriptor
  readonly customResourcePolicy: NonNullable<ModuleEntry['customResourcePolicy']>
  /** Absent for mandatory modules. */
  readonly channel?: string
  /** `host:port/path` of the registry with the layers. undefined: no registry is set. */
  readonly registry: string | undefined
  /** Stored or planned Manifests, whose names are taken. */
  readonly others: readonly Manifest[]
}

const { labels, annotations, managedBy } = kymaNames

/** `failed` names the fault in the ModuleTemplate or its descriptor, or the missing setting of the installation. */
export const manifestOf = (wanted: ModuleToInstall): Reading<Manifest> => {
  const { metadata, spec } = wanted.template
  if (spec.data && isTooIntricate(spec.data))
    return { failed: `ModuleTemplate ${metadata.name}: spec.data ${tooIntricate}` }
  const install = layerNamed('raw-manifest', wanted.descriptor)
  if ('failed' in install) return install
  const config = layerNamed('config', wanted.descriptor)
  if ('failed' in config) return config
  if (wanted.registry === undefined && (install.read || config.read)) return { failed: noRegistry }
  return {
    read: {
      ...manifestKind,
      metadata: metadataOf(wanted),
      spec: { ...contentOf(wanted), ...layersOf(wanted, { install: install.read, config: config.read }) },
    },
  }
}

const noRegistry = 'the layers of the module cannot be pulled: set the registry'

const nameOf = ({ kyma, module, descriptor: { component }, others }: ModuleToInstall): string =>
  manifestName({ kyma: kyma.metadata.name, component, module }, others)

const metadataOf = (wanted: ModuleToInstall): Manifest['metadata'] => {
  const { kyma, module, template, descriptor, channel } = wanted
  const { name, namespace, uid = '' } = kyma.metadata
  const controllerName =
    template.metadata.labels?.[labels.controllerName] ?? (template.metadata.labels ? '' : undefined)
  const owner = { apiVersion: kyma.apiVersion, kind: kyma.kind, name, uid }
  return {
    name: nameOf(wanted),
    namespace,
    labels: {
      [labels.kymaName]: name,
      [labels.moduleName]: module,
      ...(controllerName !== undefined && { [labels.controllerName]: controllerName }),
      ...(channel !== undefined && { [labels.channel]: channel }),
      [labels.managedBy]: managedBy.controlPlane,
    },
    annotations: {
      [annotations.fqdn]: descriptor.component,
      [annotations.ocmComponentName]: descriptor.component,
      [annotations.isUnmanaged]: 'false',
    },
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  }
}

const contentOf = (wanted: ModuleToInstall): Omit<Manifest['spec'], 'install'> => {
  const { kyma, template, descriptor, customResourcePolicy } = wanted
  const { manager } = template.spec
  const images = imagesOf(descriptor)
  const resource = defaultObject(wanted)
  return {
    remote: isRemote(kyma),
    version: descriptor.version,
    customResourcePolicy,
    ...(resource && { resource }),
    ...(manager && { manager }),
    ...(images.length > 0 && { localizedImages: images }),
  }
}

/** The object that configures the module. A missing name or namespace is set here, so that all functions use the same object. */
const defaultObject = (wanted: ModuleToInstall): Manifest['spec']['resource'] => {
  const { data } = wanted.template.spec
  if (data === undefined) return undefined
  const metadata = mapOrEmpty(data.metadata)
  const name = metadata.name || nameOf(wanted)
  return { ...data, metadata: { ...metadata, name, namespace: metadata.namespace || syncNamespace(wanted.kyma) } }
}

type Layers = { readonly install: ModuleLayer | undefined; readonly config: ModuleLayer | undefined }

const layersOf = (
  wanted: ModuleToInstall,
  { install, config }: Layers,
): Pick<Manifest['spec'], 'install' | 'config'> => {
  const source = (layer: ModuleLayer) => ({
    repo: wanted.registry ?? '',
    name: wanted.descriptor.repository ?? '',
    ...layer,
  })
  return {
    install: install ? { name: 'raw-manifest', source: source(install) } : { name: '', source: {} },
    ...(config && { config: { ...source(config), type: 'oci-ref' } }),
  }
}
