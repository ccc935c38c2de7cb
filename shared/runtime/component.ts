// Makes a function of a ComponentDefinition. The function applies the objects that the generator renders for each component.
// shared/component decides; shared/runtime/component reads and writes.
import { laterSteps } from '../component/plan.ts'
import { apiVersionOf } from '../core/objects/object.ts'
import type { SettingValues } from '../core/settings/setting.ts'
import { type ComponentCall, componentCall } from './component/call.ts'
import { decide, type EnginePlan } from './component/decide.ts'
import type { ComponentDefinition } from './component/definition/definition.ts'
import { definitionFault, engineOf } from './component/definition/engine.ts'
import { gather } from './component/gather.ts'
import { passScope } from './component/pass-scope.ts'
import {
  passBegun,
  passFailed,
  passMetrics,
  requestCounted,
  seenClients,
  seenComponents,
} from './component/status/measured.ts'
import { report } from './component/status/report.ts'
import type { EngineWorld } from './component/world.ts'
import type { ReconcileFunction } from './definition.ts'

export { substitute } from '../render/transformers.ts'
export type {
  ComponentDefinition,
  Generator,
  GeneratorContext,
  Hook,
  Hooks,
  LoadedReference,
} from './component/definition/definition.ts'
export {
  helmChart,
  kustomization,
  kustomizeObjects,
  rendering,
  templateParameters,
  transformable,
} from './component/definition/generators.ts'
export { retriable } from './component/definition/retriable.ts'
export { type Dependents, dependents } from './component/dependents.ts'

/**
 * Throws for a faulty definition. The function is named after the first label: `shop` for `shop.example.io`.
 *
 *   const website = component({
 *     name: 'website.example.org',
 *     kind: { group: 'example.org', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
 *     generator: helmChart(import.meta.dirname, 'chart'),
 *   })
 */
export const component = (
  definition: ComponentDefinition,
): ReconcileFunction<EngineWorld, SettingValues, ComponentCall, EnginePlan> => {
  const fault = definitionFault(definition)
  if (fault !== undefined) throw new TypeError(`component(): ${fault}`)
  const engine = engineOf(definition)
  const { group, version, kind, plural } = engine.kind
  return {
    does: 'reconcile',
    name: engine.functionName,
    kind: { apiVersion: apiVersionOf({ group, version }), kind, plural },
    keepsState: true,
    fieldManager: engine.options.fieldOwner,
    requestsInFlight: engine.options.requestsInFlight,
    metrics: passMetrics,
    ...(definition.settings && { settings: definition.settings }),
    configure: values => definition.configure?.(values) ?? {},
    countedRequest: method => requestCounted(engine, method),
    seen: seenClients(engine),
    seenOfEach: seenComponents(engine),
    begin: call => componentCall(engine, call),
    gather: async (object, _context, call) => {
      const { measure } = call.begun
      measure?.([passBegun(engine)])
      return gather(object, call).catch(error => {
        measure?.([passFailed(engine, error)])
        throw error
      })
    },
    passScope,
    decide,
    report,
    later: (_world, plan) => (plan.dependents ? laterSteps(plan.dependents, 'target') : []),
  }
}
