// The CustomResourceDefinitions of our kinds, one file each in manifests/crds. A new kind needs a new row.
import { componentCrd } from '../../api/component/crd.ts'
import type { CustomResourceDefinition } from '../../api/custom-resource.ts'
import { gardenCrd } from '../../api/garden/spec.ts'
import { istioCrd } from '../../api/istio/crd.ts'
import { kymaCrds } from '../../api/kyma/crds.ts'
import type { ManifestFile } from './yaml-text.ts'

export const customResources = (): ManifestFile[] =>
  rows.map(({ definition, source }) => definitionFile(definition, source))

export const definitionFile = (definition: CustomResourceDefinition, source: string): ManifestFile => ({
  path: `crds/${fileName(definition)}`,
  source,
  objects: [definition],
})

const fileName = ({ metadata: { name } }: CustomResourceDefinition): string => {
  const [plural = '', ...group] = name.split('.')
  return `${group.join('.')}_${plural}.yaml`
}

const rows = [
  { definition: componentCrd(), source: 'shared/api/component/' },
  { definition: gardenCrd(), source: 'shared/api/garden/' },
  { definition: istioCrd(), source: 'shared/api/istio/' },
  ...kymaCrds().map(definition => ({ definition, source: 'shared/api/kyma/' })),
]
