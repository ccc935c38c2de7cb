// The kinds that the modules of a Kyma brought, as its Manifests and the ModuleTemplates of its modules name them.
import type { Kyma, Manifest, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isMadeOf } from '../../../shared/kyma/manifests.ts'
import { kindsIn, type UnversionedKind } from './custom-kind.ts'

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
    .filter(template => isInStatus(template, kyma) || manifests.some(manifest => isMadeOf(template, manifest)))
    .flatMap(({ spec }) => [...kindsIn(spec.data), ...(spec.associatedResources ?? [])]),
]

const isInStatus = ({ metadata }: ModuleTemplate, { status }: Kyma): boolean =>
  status?.modules?.some(({ template }) => template?.metadata?.name === metadata.name) ?? false
