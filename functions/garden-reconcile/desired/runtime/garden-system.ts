// The PriorityClasses of a Garden's programs. A program on which other programs depend has a higher priority. The resource manager cannot
// apply its own PriorityClass, so that PriorityClass is applied directly.
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

/** For programs that must run before any ManagedResource can be applied. The value must be the same as in gardener-operator. */
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
