// `import … from 'espalier'`: types and helpers for your own functions. A function is a definition and pure decisions; the host (`espalier host`)
// reads and writes for it.
//
//   export const website = component({
//     name: 'website.example.org',
//     kind: { group: 'example.org', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
//     generator: helmChart(import.meta.dirname, 'chart'),
//   })
export { type Check, checks, firstRow } from '../core/decisions/checks.ts'
export type { Measurement, Metric } from '../core/decisions/measurement.ts'
export {
  type EventNote,
  type Next,
  type Plan,
  type Report,
  type Step,
  type StepResult,
  settled,
} from '../core/decisions/plan.ts'
export { faultTexts } from '../core/decisions/steps.ts'
export type { JsonMap } from '../core/json/json.ts'
export { type Condition, type ConditionChange, conditionOf, isTrue, withCondition } from '../core/objects/condition.ts'
export {
  type GroupVersionKind,
  hasFinalizer,
  isDeleting,
  type Key,
  type KubeObject,
  keyOf,
  type ObjectRef,
  refOf,
  refText,
} from '../core/objects/object.ts'
export { secretText } from '../core/objects/secret-text.ts'
export { type FunctionSetting, type SettingsOf, type SettingValues, settingsTable } from '../core/settings/setting.ts'
export * as shapes from '../core/settings/shapes.ts'
export type { ReadClient, Reads } from '../kube/client-types.ts'
export {
  type ComponentDefinition,
  component,
  dependents,
  type Generator,
  type GeneratorContext,
  type Hook,
  type Hooks,
  helmChart,
  kustomization,
  kustomizeObjects,
  type LoadedReference,
  rendering,
  retriable,
  substitute,
  templateParameters,
  transformable,
} from '../runtime/component.ts'
export type { GatherContext } from '../runtime/context.ts'
export type {
  AdmissionFunction,
  AdmissionRequest,
  AdmissionVerdict,
  FunctionDefinition,
  ReconcileFunction,
} from '../runtime/definition.ts'
