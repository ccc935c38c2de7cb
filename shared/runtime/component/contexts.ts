// Makes the contexts for the developer's code: hooks, the generator, and `load` of references.
import type { KubeObject } from '../../core/objects/object.ts'
import type { ReadClient } from '../../kube/client-types.ts'
import type { ComponentCall } from './call.ts'
import type { CodeContext, ComponentContext, LoadContext } from './definition/definition.ts'
import type { Reached } from './reached.ts'
import { statusAt } from './status/engine-status.ts'

export const codeContext = (component: KubeObject, { engine, begun }: ComponentCall): CodeContext => ({
  reconcilerName: engine.name,
  component,
  componentNamespace: component.metadata.namespace ?? '',
  componentName: component.metadata.name,
  componentRevision: statusAt(component, engine.options.statusPath).revision ?? 0,
  now: begun.now(),
  signal: begun.signal,
  settings: begun.settings,
})

export const componentContext = (component: KubeObject, reached: Reached, call: ComponentCall): ComponentContext => ({
  ...codeContext(component, call),
  client: reached.target.client,
  localClient: reached.target.local,
  componentDigest: reached.digest,
  reference: path => reached.references.get(path)?.value,
})

export const loadContext = (component: KubeObject, localClient: ReadClient, { begun }: ComponentCall): LoadContext => {
  const { artifacts, now, signal } = begun
  return { component, localClient, artifacts, now: now(), signal }
}
