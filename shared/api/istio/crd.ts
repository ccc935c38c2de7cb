// The CustomResourceDefinition of Istio.
import { type CustomResourceDefinition, customResourceDefinition } from '../custom-resource.ts'
import descriptions from './descriptions.json' with { type: 'json' }
import { istioSpec } from './spec.ts'
import { istioStatus } from './status.ts'

export const istioCrd = (): CustomResourceDefinition =>
  customResourceDefinition({
    group: 'operator.kyma-project.io',
    version: 'v1alpha2',
    scope: 'Namespaced',
    kind: 'Istio',
    plural: 'istios',
    categories: ['kyma-modules', 'kyma-istio'],
    description: 'An installation of Istio and its settings.',
    columns: [{ name: 'State', type: 'string', jsonPath: '.status.state', description: 'Where it stands.' }],
    descriptions,
    spec: istioSpec,
    isSpecOptional: true,
    status: istioStatus,
  })
