// The CustomResourceDefinition of Garden.
import {
  ageColumn,
  type Column,
  type CustomResourceDefinition,
  conditionColumn,
  customResourceDefinition,
} from '../custom-resource.ts'
import { gardenSpec } from './spec.ts'
import { gardenStatus } from './status.ts'

const columns: readonly Column[] = [
  conditionColumn('Reconciled', 'Reconciled', 'Whether the last operation succeeded.'),
  {
    name: 'K8S Version',
    type: 'string',
    jsonPath: '.spec.virtualCluster.kubernetes.version',
    description: 'Kubernetes version of the virtual garden.',
  },
  {
    name: 'Gardener Version',
    type: 'string',
    jsonPath: '.status.gardener.version',
    description: 'Version that last acted on the Garden.',
  },
  {
    name: 'Last Operation',
    type: 'string',
    jsonPath: '.status.lastOperation.state',
    description: 'State of the last operation.',
  },
  conditionColumn('Runtime', 'RuntimeComponentsHealthy', 'Health of the components of the runtime cluster.'),
  conditionColumn('Virtual', 'VirtualComponentsHealthy', 'Health of the components of the virtual garden.'),
  conditionColumn('API Server', 'VirtualGardenAPIServerAvailable', 'Whether the virtual garden answers.'),
  conditionColumn('Observability', 'ObservabilityComponentsHealthy', 'Health of logging and monitoring.'),
  ageColumn,
]

/** What `kubectl apply` needs before there can be a Garden. */
export const gardenCrd = (): CustomResourceDefinition =>
  customResourceDefinition({
    group: 'operator.gardener.cloud',
    version: 'v1alpha1',
    kind: 'Garden',
    plural: 'gardens',
    shortNames: ['grdn'],
    scope: 'Cluster',
    description: 'A Gardener installation: two etcds, a kube-apiserver and the control plane of Gardener in it.',
    columns,
    spec: gardenSpec,
    status: gardenStatus,
  })
