// The priorities of a Garden's programs: programs on which others depend have higher ones. That of the resource manager is applied before
// the resource manager runs, so not by it.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { gardenPriority, namespace, ownershipLabel } from '../parts/names.ts'
import { zonedNamespace } from './zoned-namespace.ts'

export const gardenSystem = (): readonly KubeObject[] =>
  managedResource('garden-system', {
    where: 'runtime',
    objects: ([100, 200, 300, 400, 500] as const).map(level => priorityClass(gardenPriority(level), level)),
  })

/** For programs that must run before any ManagedResource can be applied. The value is the Gardener operator's, and cannot be changed. */
export const criticalPriority = (): KubeObject => priorityClass(gardenPriority('critical'), 550)

/** `gardener-garden-system-500` is 999999500. */
const priorityClass = (name: string, level: number): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name, labels: ownershipLabel },
  value: 999_999_000 + level,
  description: 'For components of a Garden',
})

export const gardenNamespaceObject = (world: World): KubeObject =>
  zonedNamespace(world, { name: namespace, role: 'garden', podSecurity: 'privileged' })
