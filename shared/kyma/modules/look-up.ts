// Finds the ModuleTemplate for a module of a Kyma. The module's ModuleReleaseMeta determines the version of the channel. Without a
// ModuleReleaseMeta, the ModuleTemplate itself names module and channel. Each kind of fault has a row with its effect on the module's entry
// in the status.
import { kymaNames } from '../../api/kyma/names.ts'
import { remembered } from '../../core/memory/remembered.ts'
import { isMandatory, isPickedUp, type ModuleReleaseMeta, type ModuleState, type ModuleTemplate } from '../kinds.ts'

export type WantedModule = { readonly name: string; readonly channel: string; readonly controller?: string }

export type ModuleCatalogue = {
  readonly templates: readonly ModuleTemplate[]
  readonly metas: readonly ModuleReleaseMeta[]
}

/** `version`: the version in the ModuleReleaseMeta. */
export type FoundModule = {
  readonly template: ModuleTemplate
  readonly meta?: ModuleReleaseMeta
  readonly version?: string
}

export type LookUp = { readonly found: FoundModule } | { readonly fault: ModuleFault }

const { labels } = kymaNames

export const lookUp = (wanted: WantedModule, catalogue: ModuleCatalogue): LookUp => {
  const meta = metaOf(wanted.name, catalogue)
  return meta ? byMeta(wanted, meta, catalogue) : byChannel(wanted, catalogue)
}

export const metaOf = (module: string, { metas }: ModuleCatalogue): ModuleReleaseMeta | undefined =>
  metas.find(meta => meta.metadata.name === module && isPickedUp(meta))

/** Uses an index, because each pass may search for each channel of each module. */
export const templateNamed = (name: string, catalogue: ModuleCatalogue): ModuleTemplate | undefined =>
  templatesByName(catalogue).get(name)

const templatesByName = remembered(
  ({ templates }: ModuleCatalogue): ReadonlyMap<string, ModuleTemplate> =>
    new Map(templates.filter(isPickedUp).map(template => [template.metadata.name, template])),
)

export const channelVersion = ({ spec }: ModuleReleaseMeta, channel: string): string | undefined =>
  spec.channels?.find(one => one.channel === channel)?.version

export const moduleOfTemplate = ({ metadata, spec }: ModuleTemplate): string | undefined =>
  metadata.labels?.[labels.moduleName] ?? spec.moduleName

const byMeta = (wanted: WantedModule, meta: ModuleReleaseMeta, catalogue: ModuleCatalogue): LookUp => {
  const { name, channel } = wanted
  const version = channelVersion(meta, channel)
  if (!meta.spec.channels?.length) return unresolved(`no channels found for module: ${name}`)
  if (version === undefined) return unresolved(`no versions found for channel: ${channel} in module ${name}`)
  const called = `${name}-${version}`
  const template = templateNamed(called, catalogue)
  if (!template)
    return unresolved(`failed to get module template: ModuleTemplate.operator.kyma-project.io "${called}" not found`)
  return fits(template, wanted) ? { found: { template, meta, version } } : nothingFound(wanted)
}

const byChannel = (wanted: WantedModule, { templates }: ModuleCatalogue): LookUp => {
  const fitting = templates.filter(
    one =>
      isPickedUp(one) &&
      moduleOfTemplate(one) === wanted.name &&
      one.spec.channel === wanted.channel &&
      fits(one, wanted),
  )
  const [template, another] = fitting
  if (!template) return nothingFound(wanted)
  return another ? notUnique(wanted, fitting) : { found: { template } }
}

/** Excludes mandatory modules, because another function installs them for all Kymas. */
const fits = (template: ModuleTemplate, { controller }: WantedModule): boolean =>
  !isMandatory(template) && (!controller || template.metadata.labels?.[labels.controllerName] === controller)

const nothingFound = ({ name, channel }: WantedModule): LookUp => ({
  fault: { is: 'notFound', text: `no templates were found: for module ${name} in channel ${channel}` },
})

const notUnique = ({ name }: WantedModule, fitting: readonly ModuleTemplate[]): LookUp => {
  const candidates = fitting.map(({ metadata }) => metadata.name).sort()
  const found = `more than one module template found for module: ${name}, candidates: [${candidates.join(' ')}]`
  return { fault: { is: 'wrong', text: `no unique template could be identified: ${found}` } }
}

const unresolved = (text: string): LookUp => ({ fault: { is: 'unresolved', text } })

/** `endsAt`: when the fault ends automatically. */
export type ModuleFault = { readonly is: FaultKind; readonly text: string; readonly endsAt?: Date }

export type FaultKind =
  /** No ModuleTemplate fits. */
  | 'notFound'
  /** The Kyma may not have the module. */
  | 'notAllowed'
  /** The channel has a lower version than the installed version. */
  | 'downgrade'
  /** One of the two versions cannot be compared. */
  | 'noVersion'
  /** The update waits for a maintenance window. */
  | 'windowClosed'
  /** The roll-out has not reached this Kyma yet. */
  | 'notYet'
  /** A part of the module is missing or invalid, but this may change. */
  | 'unresolved'
  /** Fields written by users contradict each other. */
  | 'wrong'
  /** An external system, such as a registry, must recover. */
  | 'outside'

type Row = {
  /** The state of the module. Absent: the state of its Manifest. */
  readonly state?: ModuleState
  /** The Manifest is deleted, and the module's entry is removed from the status. */
  readonly removes?: true
  readonly waitsForWindow?: true
  /** Only a user can correct the fault. */
  readonly needsPerson?: true
  readonly isOutside?: true
}

const rows: Readonly<Record<FaultKind, Row>> = {
  notFound: { state: 'Warning' },
  notAllowed: { state: 'Error', removes: true },
  downgrade: { state: 'Warning' },
  noVersion: { state: 'Warning', needsPerson: true },
  windowClosed: { waitsForWindow: true },
  notYet: {},
  unresolved: { state: 'Error' },
  wrong: { state: 'Error', needsPerson: true },
  outside: { state: 'Error', isOutside: true },
}

export const meaningOf = ({ is }: ModuleFault): Row => rows[is]
