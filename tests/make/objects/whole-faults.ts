// What is wrong with a set of objects as a whole, whatever made them: what an API server would refuse of each by itself, and what of them
// does not fit together. A fault is a sentence; none of them is about a Garden.
//
//   wholeFaults({ applied, standing: [secret('backup')] }) // ['Deployment garden/a: mounts x, which is no volume']
import { isMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { kindsOf } from '../../../shared/embedded/crd/kinds.ts'
import { Registry } from '../../../shared/embedded/kinds/registry.ts'
import { typedObject } from '../../../shared/embedded/kinds/typed.ts'
import { faultsOnCreate, preparedForCreate } from '../../../shared/embedded/verbs/strategy.ts'
import { fitFaults } from './fit-faults.ts'
import { podFaults } from './pod-faults.ts'

/** Of one cluster. */
type Whole = {
  /** All that is applied there, contents of ManagedResources included. */
  readonly applied: readonly KubeObject[]
  /** What is there besides. */
  readonly standing: readonly KubeObject[]
}

export const wholeFaults = (whole: Whole): string[] => {
  const registry = registryOf(whole)
  const ofOne = (object: KubeObject) =>
    [...apiFaults(object, registry), ...emptyTexts(object), ...podFaults(object)].map(
      fault => `${refText(refOf(object))}: ${fault}`,
    )
  return [...repeated(whole), ...whole.applied.flatMap(ofOne), ...fitFaults(whole)]
}

const repeated = ({ applied }: Whole): string[] =>
  [...Map.groupBy(applied, object => refText(refOf(object)))].flatMap(([ref, { length }]) =>
    length > 1 ? [`${ref}: is applied ${length} times`] : [],
  )

const registryOf = ({ applied }: Whole): Registry => {
  const registry = new Registry()
  for (const object of applied)
    if (object.kind === 'CustomResourceDefinition') registry.setCustom(object.metadata.name, kindsOf(object))
  return registry
}

/** Unknown fields and wrong values. Kinds of whom nobody has a definition say nothing. */
const apiFaults = (object: KubeObject, registry: Registry): string[] => {
  const kind = registry.named(object.apiVersion, object.kind)
  if (!kind) return []
  const unknown: string[] = []
  const typed = typedObject(kind, JSON.parse(JSON.stringify(object)), unknown)
  const faults = faultsOnCreate(preparedForCreate(typed, kind), kind)
  return [...unknown.map(path => `has no field ${path}`), ...faults.map(({ field, detail }) => `${field}: ${detail}`)]
}

/** What a template makes of a value that is not there. */
const emptyTexts = (object: KubeObject): string[] =>
  textsOf(object)
    .filter(text => nothing.test(text))
    .map(text => `says ${text}`)

const nothing = /\bundefined\b|\[object |\bNaN\b/

const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isMap(value) ? Object.entries(value).flatMap(([key, below]) => [key, ...textsOf(below)]) : []
}
