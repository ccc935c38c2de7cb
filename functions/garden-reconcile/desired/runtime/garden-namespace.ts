// The namespace of all that a Garden has in its runtime cluster.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'
import { zonedNamespace } from './zoned-namespace.ts'

export const gardenNamespaceObject = (world: World): KubeObject =>
  zonedNamespace(world, { name: namespace, role: 'garden', podSecurity: 'privileged' })
