// The PriorityClasses of a Garden's programs, and the namespaces of the runtime cluster. A program on which other programs depend has a
// higher priority.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { gardenPriority, namespace, ownershipLabel, prefixes, role } from '../parts/names.ts'

export const gardenSystem = (): readonly KubeObject[] =>
  managedResource('garden-system', {
    where: 'runtime',
    objects: ([100, 200, 300, 400, 500] as const).map(level => priorityClass(gardenPriority(level), level)),
  })

/** For programs that must run before any ManagedResource can be applied, so it is applied directly. The value is that of gardener-operator. */
export const criticalPriority = (): KubeObject => priorityClass(gardenPriority('critical'), 550)

/** For example, `gardener-garden-system-500` has value 999999500. */
const priorityClass = (name: string, level: number): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name, labels: ownershipLabel },
  value: 999_999_000 + level,
  description: 'For components of a Garden',
})

export const gardenNamespaceObject = (world: World): KubeObject =>
  zonedNamespace(world, { name: namespace, role: 'garden', podSecurity: 'privileged' })

type ZonedNamespace = {
  readonly name: string
  /** The value of label gardener.cloud/role. */
  readonly role: string
  readonly podSecurity: 'privileged' | 'baseline'
  readonly labels?: Readonly<Record<string, string>>
}

/** A namespace in which the resource manager spreads Pods over zones. */
const zonedNamespace = ({ garden }: World, wanted: ZonedNamespace): KubeObject => {
  const { zones = [] } = garden.spec.runtimeCluster.provider
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: wanted.name,
      labels: {
        ...role(wanted.role),
        'pod-security.kubernetes.io/enforce': wanted.podSecurity,
        ...wanted.labels,
        [`${prefixes.highAvailability}/consider`]: 'true',
        ...ownershipLabel,
      },
      ...(zones.length > 0 && { annotations: { [`${prefixes.highAvailability}/zones`]: zones.join() } }),
    },
  }
}

/** The namespace of a mesh, in which no Pod gets a sidecar. */
export const zonedMeshNamespace = (world: World, name: string, role: 'istio-system' | 'istio-ingress'): KubeObject =>
  zonedNamespace(world, { name, role, podSecurity: 'baseline', labels: { 'istio-injection': 'disabled' } })
