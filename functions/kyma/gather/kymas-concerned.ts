// Finds the Kymas to call after a change. A ModuleTemplate, a ModuleReleaseMeta or a Secret with keys calls the Kymas with an affected
// module. A CustomResourceDefinition for runtimes or a Watcher calls all Kymas.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, moduleReleaseMetaKind, moduleTemplateKind, watcherKind } from '../../../shared/api/kyma.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import { gatewaySecretName } from '../../../shared/kyma/certificates.ts'
import {
  isPickedUp,
  type Kyma,
  type ModuleReleaseMeta,
  type ModuleStatus,
  type ModuleTemplate,
  withSpec,
} from '../../../shared/kyma/kinds.ts'
import { channelVersion, moduleOfTemplate } from '../../../shared/kyma/modules/look-up.ts'
import { signatureOf } from '../../../shared/kyma/modules/signature.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { visibilityFault } from '../rules/module-visibility.ts'
import type { KymaSettings } from '../settings.ts'

type Context = Pick<GatherContext<KymaSettings>, 'reads' | 'settings'>
type Concerns = (kyma: Kyma) => boolean
type Row = (object: KubeObject, context: Context, change: ChangeType) => Concerns | Promise<Concerns>

const namespace = kymaNames.namespaces.controlPlane

export const kymasConcerned = async (object: KubeObject, context: Context, change: ChangeType): Promise<Key[]> => {
  const concerns = await rows[object.kind]?.(object, context, change)
  // If a Kyma is not in the cache yet, its own creation calls it.
  const kymas = (await context.reads.list({ ...kymaKind, namespace, fromCache: true })).map(withSpec<Kyma>)
  return kymas.filter(kyma => concerns?.(kyma)).map(keyOf)
}

const rows: Readonly<Record<string, Row>> = {
  [moduleTemplateKind.kind]: object => ofTemplate(withSpec(object)),
  [moduleReleaseMetaKind.kind]: (object, context, change) => ofMeta(withSpec(object), context, change),
  Secret: (object, context) => (isOfAllRuntimes(object, context) ? () => true : ofKeys(object, context)),
  // Every runtime has a copy of the definition, and an entry for each Watcher.
  CustomResourceDefinition: () => () => true,
  [watcherKind.kind]: () => () => true,
}

/** Finds the module by label or field, or by the name that a ModuleReleaseMeta would look for. */
const ofTemplate = (template: ModuleTemplate): Concerns => {
  const { name } = template.metadata
  const { version } = template.spec
  const modules = [moduleOfTemplate(template), version ? name.slice(0, -version.length - 1) : undefined]
  return kyma => modules.some(module => module !== undefined && has(kyma, module))
}

const ofMeta = (meta: ModuleReleaseMeta, { settings }: Context, change: ChangeType): Concerns => {
  const module = meta.metadata.name
  if (meta.spec.mandatory) return () => true
  // If a ModuleReleaseMeta was deleted, or lost our label, it no longer counts. Every Kyma with the module is called.
  if (change === 'DELETED' || !isPickedUp(meta)) return kyma => has(kyma, module)
  const { restrictedModules } = settings
  return kyma => {
    if (!has(kyma, module)) return false
    const status = kyma.status?.modules?.find(({ name }) => name === module)
    return status === undefined || !isLeftAsItIs(status, { meta, kyma, restrictedModules })
  }
}

/** Objects that affect all runtimes: the listener's Secret, because all agents trust its CAs, and the pull Secret. */
const isOfAllRuntimes = ({ metadata: { name, namespace: place } }: KubeObject, { settings }: Context): boolean =>
  name === gatewaySecretName || (name === settings.pullSecret && place === namespace)

/** Kymas with modules whose signatures are verified with the keys of the Secret. */
const ofKeys = async ({ metadata }: KubeObject, { reads, settings }: Context): Promise<Concerns> => {
  const signature = metadata.labels?.[kymaNames.labels.signature]
  if (signature === undefined) return () => false
  const query = { ...moduleTemplateKind, namespace, metadataOnly: true, fromCache: true }
  const templates = (await reads.list(query)) as ModuleTemplate[]
  const names = new Set(
    templates
      .filter(template => signatureOf(template, { settings }) === signature)
      .map(template => template.metadata.name),
  )
  return kyma => (kyma.status?.modules ?? []).some(status => isOf(status, names))
}

/** If the signature of a module is invalid, its entry has no ModuleTemplate yet. */
const isOf = ({ template }: ModuleStatus, names: ReadonlySet<string>): boolean =>
  template ? names.has(template.metadata?.name ?? '') : names.size > 0

const has = ({ spec, status }: Kyma, module: string): boolean =>
  [...(spec.modules ?? []), ...(status?.modules ?? [])].some(({ name }) => name === module)

type Judging = {
  readonly meta: ModuleReleaseMeta
  readonly kyma: Kyma
  readonly restrictedModules: readonly string[]
}

/** The module is healthy, has the version of its channel, and is still allowed. */
const isLeftAsItIs = (status: ModuleStatus, { meta, kyma, restrictedModules }: Judging): boolean => {
  if (['Error', 'Warning', ''].includes(status.state)) return false
  const entry = kyma.spec.modules?.find(({ name }) => name === status.name)
  const channel = entry ? (entry.channel ?? kyma.spec.channel) : (status.channel ?? '')
  if (status.channel !== channel || channelVersion(meta, channel) !== status.version) return false
  return visibilityFault({ meta }, { kyma, module: status.name, restrictedModules }) === undefined
}
