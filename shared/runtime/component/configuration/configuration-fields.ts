// Reads the configuration fields of a component. Fields are grouped in interfaces. An interface is read from the first place with one of
// its fields: the definition's code, the component's top level, the spec. Example: `spec.timeout` is used if no earlier place has a
// timeout.
import { adoptionPolicies, deletePolicies, policyNamed, updatePolicies } from '../../../component/item.ts'
import type { GroupKind } from '../../../component/settings.ts'
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { waitExpected, waitSeconds } from '../../../core/time/duration.ts'
import type { ConfigurationInCode, ConfigurationInterface } from '../definition/definition.ts'
import type { EngineOptions } from '../definition/engine.ts'

export type ConfigurationOptions = Pick<EngineOptions, 'configuration' | 'defaultServiceAccount' | 'impersonationScope'>

/** A Secret in the component's namespace, or the text of a kubeconfig. Only the definition's code can set the text. */
export type KubeConfigSource = { readonly secret: string; readonly key?: string } | { readonly text: string }

/** Who set the fields: the definition's code or the component. Only code may set a kubeconfig as text. */
export type FieldsSource = 'code' | 'component'

type Shape = { readonly expected: string; readonly parse: (value: unknown, source: FieldsSource) => unknown }

const text: Shape = { expected: 'a text', parse: value => (typeof value === 'string' ? value : undefined) }
const boolean: Shape = { expected: 'true or false', parse: value => (typeof value === 'boolean' ? value : undefined) }
const duration: Shape = {
  expected: waitExpected,
  parse: value => (typeof value === 'string' ? waitSeconds(value) : undefined),
}
const texts: Shape = {
  expected: 'a list of strings',
  parse: value => (Array.isArray(value) && value.every(item => typeof item === 'string') ? value : undefined),
}
const types: Shape = {
  expected: 'a list of {group, kind}',
  parse: value => (Array.isArray(value) && value.every(isGroupKind) ? value : undefined),
}
const kubeConfig: Shape = {
  expected: '{secretRef: {name, key}}',
  parse: (value, source) => (typeof value === 'string' && source === 'code' ? { text: value } : secretNamed(value)),
}
const policy = (allowed: readonly string[]): Shape => ({
  expected: `one of ${allowed.join(', ')}`,
  parse: value => (typeof value === 'string' ? policyNamed(allowed, value) : undefined),
})

const fields: Readonly<Record<ConfigurationInterface, Readonly<Record<string, Shape>>>> = {
  placement: { deploymentNamespace: text, deploymentName: text },
  client: { kubeConfig },
  impersonation: { impersonationUser: text, serviceAccountName: text, impersonationGroups: texts },
  requeue: { requeueInterval: duration },
  retry: { retryInterval: duration },
  timeout: { timeout: duration },
  policy: {
    adoptionPolicy: policy(adoptionPolicies),
    updatePolicy: policy(updatePolicies),
    deletePolicy: policy(deletePolicies.slice(0, 2)),
    createMissingNamespaces: boolean,
  },
  type: { additionalManagedTypes: types },
  suspension: { suspend: boolean },
  reapply: { reapplyInterval: duration },
}

/** `values`: valid fields. `faults`: a sentence per invalid field. */
export type FieldsRead = { readonly source: FieldsSource; readonly values: JsonMap; readonly faults: readonly string[] }

/** All places with a field of the interface, in order of precedence. If no place has a field, one place without values. */
export const readInterface = (
  component: KubeObject,
  name: ConfigurationInterface,
  inCode: ConfigurationInCode,
): readonly [FieldsRead, ...FieldsRead[]] => {
  const shapes = fields[name]
  const spec = mapOrEmpty(component.spec)
  const places: Place[] = [
    { source: 'code', path: '', values: inCode[name]?.(component) ?? {} },
    { source: 'component', path: '', values: component },
    { source: 'component', path: 'spec.', values: spec },
  ]
  const isThere = ({ values }: Place) => Object.keys(shapes).some(field => isGiven(values[field]))
  const [first = { source: 'component', values: {}, faults: [] }, ...others] = places
    .filter(isThere)
    .map(place => readPlace(place, shapes))
  return [first, ...others]
}

type Place = { readonly source: FieldsSource; readonly path: string; readonly values: JsonMap }

/** Empty text and null count as absent. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const readPlace = ({ source, path, values }: Place, shapes: Readonly<Record<string, Shape>>): FieldsRead => {
  const read = Object.entries(shapes)
    .filter(([field]) => isGiven(values[field]))
    .map(([field, { expected, parse }]) => {
      const value = parse(values[field], source)
      const said = JSON.stringify(values[field]).slice(0, 100)
      return { field, value, ...(value === undefined && { fault: `${path}${field} is ${said}, not ${expected}` }) }
    })
  return {
    source,
    values: Object.fromEntries(read.map(({ field, value }) => [field, value])),
    faults: read.flatMap(({ fault }) => fault ?? []),
  }
}

const isGroupKind = (value: unknown): value is GroupKind =>
  isMap(value) && typeof value.group === 'string' && typeof value.kind === 'string'

const secretNamed = (value: unknown): KubeConfigSource | undefined => {
  const ref = mapOrEmpty(mapOrEmpty(value).secretRef)
  const { name, key } = ref
  if (typeof name !== 'string' || name === '') return undefined
  return { secret: name, ...(isText(key) && { key }) }
}
