// The engine of shared/component as istio uses it, for the installation and for its removal.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { Item } from '../../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../../shared/component/inventory/item.ts'
import type { World as EngineWorld } from '../../../../shared/component/world.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { dependents } from '../../../../shared/runtime/component.ts'
import { isInherited, itemsWith } from '../../rules/installation/found-objects.ts'
import { installationOptions } from '../../rules/installation/installation-options.ts'
import type { Istio } from '../../world.ts'
import type { ReaderInput } from '../reader-input.ts'

const engine = dependents({ name: istioNames.prefix, options: installationOptions })

export const itemsIn = ({ status }: Istio): Item[] => itemsOf(status?.inventory)

type Known = { readonly manifests?: readonly KubeObject[]; readonly seen: readonly KubeObject[] }

/** `seen`: installed objects that were read already, so the engine need not read them. */
export const engineWorld = (input: ReaderInput, { manifests, seen }: Known): Promise<EngineWorld> => {
  const { context, world, now } = input
  const items = itemsWith(itemsIn(world.istio), seen)
  const known = { manifests, items, seen, inherits: isInherited }
  return engine.gather({ ...context, ...known, now, namespace: istioNames.namespaces.mesh }, world.istio)
}
