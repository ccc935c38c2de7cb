// A Garden whose components appear, judged again whenever its spec changes. Nothing that was True fails, and no reason of a False condition
// changes: what follows then depends on the time, and the decision has tests for it.
import { gardenKind, gardenNamespace } from '../../../shared/api/garden.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { canary } from '../../../shared/main/own/trial.ts'
import { garden } from '../../make/garden/garden.ts'
import { managedResource, managedResourceNames } from '../../make/garden/garden-health.ts'
import type { People, Scenario, Stage } from '../scenario.ts'

const theGarden: ObjectRef = { ...gardenKind, namespace: '', name: 'faulty-garden' }
const { runtime, istio } = managedResourceNames
const runtimeResources = [
  ...runtime.map(name => managedResource(name)),
  ...istio.map(name => managedResource(name, {}, 'istio-system')),
]

const access: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: gardenNamespace, name: 'gardener-internal' },
  data: { kubeconfig: Buffer.from(`no kubeconfig, but ${canary}`).toString('base64') },
}

const refOfResource = ({ apiVersion, kind, metadata }: KubeObject): ObjectRef => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})

/** A change of the Garden's spec, for which it is judged at once. */
const block = (people: People, cidr: string) =>
  people.change(theGarden, { spec: { runtimeCluster: { networking: { blockCIDRs: [cidr] } } } })

const told =
  (reasons: Record<string, string>): Stage['faults'] =>
  objects => {
    const status = objects.find(({ kind }) => kind === 'Garden')?.status as { conditions?: Told[] } | undefined
    const found = Object.fromEntries((status?.conditions ?? []).map(({ type, reason }) => [type, reason]))
    return Object.entries(reasons).flatMap(([type, reason]) =>
      found[type] === reason ? [] : [`${type} is told as ${found[type]}, not ${reason}`],
    )
  }
type Told = { type: string; reason: string }

const reasons = {
  VirtualGardenAPIServerAvailable: 'VirtualGardenAPIServerDown',
  RuntimeComponentsHealthy: 'ResourceNotFound',
  VirtualComponentsHealthy: 'EtcdMissing',
  ObservabilityComponentsHealthy: 'DeploymentMissing',
}

export const scenarios: readonly Scenario[] = [
  {
    title: 'components of a Garden appear and become well',
    key: { namespace: '', name: theGarden.name },
    crds: [
      'operator.gardener.cloud_gardens.yaml',
      '../../tests/harness/clusters/crds/managedresources.yaml',
      '../../tests/harness/clusters/crds/etcds.yaml',
    ],
    namespaces: [gardenNamespace, 'istio-system'],
    observes: [
      { ...gardenKind },
      { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' },
      { apiVersion: 'druid.gardener.cloud/v1alpha1', kind: 'Etcd' },
      { apiVersion: 'v1', kind: 'Secret', namespace: gardenNamespace },
    ],
    rivalry: { status: n => ({ gardener: { id: 'rival', name: `rival-${n}`, version: `1.${n}.0` } }) },
    dependent: theGarden,
    stages: [
      {
        title: 'a Garden with nothing but a Secret of no use',
        change: async people => {
          await people.create(access)
          await people.create(garden({ metadata: { name: theGarden.name } }))
        },
        faults: told(reasons),
      },
      {
        title: 'ManagedResources of the runtime cluster that are well',
        change: async people => {
          await Promise.all(runtimeResources.map(people.create))
          for (const resource of runtimeResources)
            await people.changeStatus(refOfResource(resource), resource.status as Record<string, unknown>)
          await block(people, '10.8.0.0/16')
        },
        faults: told({ ...reasons, RuntimeComponentsHealthy: 'RuntimeComponentsRunning' }),
      },
    ],
  },
]
