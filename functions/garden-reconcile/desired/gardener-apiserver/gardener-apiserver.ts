// gardener-apiserver on both sides: first what runs in the runtime cluster, then what leads the virtual garden to it. As long as the
// kinds are registered and nobody serves them, the virtual garden can delete no namespace, so nothing leads to a server that is not up.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { refOf, refText } from '../../../../shared/core/objects/object.ts'
import { findObject } from '../../rules/objects.ts'
import { waitText } from '../../rules/readiness.ts'
import type { World } from '../../world.ts'
import { gardenerApiserverInRuntimeCluster } from './in-runtime-cluster.ts'
import {
  gardenerApiserverAddress,
  gardenerApiserverInVirtualGarden,
  gardenerApiserverService,
} from './in-virtual-garden.ts'

/** ManagedResources gardener-apiserver-runtime and, once that is ready and has an address, gardener-apiserver-virtual. */
export const gardenerApiserver = (world: World): KubeObject[] => {
  const runtime = gardenerApiserverInRuntimeCluster(world)
  const isUp = runtime.every(object => waitText(object, findObject(world.runtime, refOf(object))) === undefined)
  return isUp ? [...runtime, ...gardenerApiserverInVirtualGarden(world)] : runtime
}

/** Why nothing can lead to it yet. */
export const gardenerApiserverWaits = (world: World): string[] =>
  gardenerApiserverAddress(world) ? [] : [`${refText(gardenerApiserverService)}: has no address yet`]
