// The kinds that the modules of a Kyma brought, as its Manifests and the ModuleTemplates of its modules name them.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { valueAt } from '../../../shared/core/fields.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { kindsIn, type UnversionedKind } from './custom-kind.ts'

const { labels, annotations } = kymaNames

export type KymaModules = {
  readonly kyma: Kyma
  /** Of this Kyma. */
  readonly manifests: readonly Manifest[]
  /** All there are. */
  readonly templates: readonly ModuleTemplate[]
}

export const broughtKinds = ({ kyma, manifests, templates }: KymaModules): readonly UnversionedKind[] => [
  ...manifests.flatMap(({ spec }) => kindsIn(spec.resource)),
  ...templates
    .filter(template => isInStatus(template, kyma) || manifests.some(manifest => isSource(template, manifest)))
    .flatMap(({ spec }) => [...kindsIn(spec.data), ...(spec.associatedResources ?? [])]),
]

const isInStatus = ({ metadata }: ModuleTemplate, { status }: Kyma): boolean =>
  status?.modules?.some(({ template }) => template?.metadata.name === metadata.name) ?? false

/** The Manifest was made of the ModuleTemplate: it is called after module and version, or describes the same version of a component. */
const isSource = ({ metadata, spec }: ModuleTemplate, manifest: Manifest): boolean => {
  const { labels: labelled, annotations: noted } = manifest.metadata
  const { version } = manifest.spec
  if (metadata.name === `${labelled?.[labels.moduleName]}-${version}`) return true
  const component = valueAt(spec.descriptor, 'component')
  return valueAt(component, 'name') === noted?.[annotations.fqdn] && valueAt(component, 'version') === version
}
