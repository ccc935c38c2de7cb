// The engine of shared/component as istio uses it, for the installation and for its removal.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { type Item, itemKey, objectKey } from '../../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../../shared/component/inventory/stored-inventory.ts'
import { plan } from '../../../../shared/component/plan.ts'
import type { World as EngineWorld } from '../../../../shared/component/world.ts'
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { Step } from '../../../../shared/core/plan.ts'
import { dependents } from '../../../../shared/runtime/component.ts'
import { isInherited, itemsWith } from '../../rules/installation/found-objects.ts'
import { installationOptions } from '../../rules/installation/installation-options.ts'
import type { Istio } from '../../world.ts'
import type { Looking } from '../looking.ts'

const engine = dependents({ name: istioNames.prefix, options: installationOptions, inherits: isInherited })

/** What the Istio says was installed. */
export const itemsIn = ({ status }: Istio): Item[] => itemsOf(status?.inventory)

type Known = { readonly manifests?: readonly KubeObject[]; readonly seen: readonly KubeObject[] }

/**
 * `seen`: objects of the installation that were read already. What is about to be created is looked for, since a call that was killed may
 * have created it and told nobody; where it is found, what follows it is about to be created, and is looked for too.
 */
export const engineWorld = async (looking: Looking, { manifests, seen }: Known): Promise<EngineWorld> => {
  const { context, world, now } = looking
  const gathered = (items: readonly Item[], live: readonly KubeObject[]) =>
    engine.gather(
      { ...context, manifests, items: [...items], seen: live, now, namespace: istioNames.namespaces.mesh },
      world.istio,
    )
  const items = itemsWith(itemsIn(world.istio), seen)
  const asked = new Set<string>()
  let found = await gathered(items, seen)
  for (;;) {
    const created = plan(found, now)
      .steps.flatMap(createdKey)
      .filter(key => !asked.has(key))
    if (created.length === 0) return found
    for (const key of created) asked.add(key)
    const unsure = items.map(item => (asked.has(itemKey(item)) ? { ...item, status: 'Unknown' as const } : item))
    found = await gathered(unsure, [...found.observed.live.values()])
  }
}

const createdKey = (step: Step): readonly string[] => (step.do === 'create' ? [objectKey(step.object)] : [])
