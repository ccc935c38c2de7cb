// The fields by which a component is configured, interface by interface, and where they are read. Each interface is taken
// as a whole from the first place that has any of it: the code of the definition, the component's top level, its spec.
import { adoptionPolicies, deletePolicies, policyNamed, updatePolicies } from '../../../component/declared/policies.ts'
import type { GroupKind } from '../../../component/settings.ts'
import { waitExpected, waitSeconds } from '../../../core/duration.ts'
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../../core/json.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { ConfigurationInCode, ConfigurationInterface } from '../definition/definition.ts'
import type { EngineOptions } from '../definition/engine.ts'

/** What the kind says of it. */
export type ConfigurationOptions = Pick<EngineOptions, 'configuration' | 'defaultServiceAccount' | 'impersonationScope'>

/** A Secret of the component's namespace, or the text itself, which only code can give. */
export type KubeConfigSource = { readonly secret: string; readonly key?: string } | { readonly text: string }

/** Code may say what a component may not: a kubeconfig itself. */
export type FieldsSource = 'code' | 'component'

type Shape = { readonly expected: string; readonly parse: (value: unknown, source: FieldsSource) => unknown }

const text: Shape = { expected: 'a text', parse: value => (typeof value === 'string' ? value : undefined) }
const boolean: Shape = { expected: 'true or false', parse: value => (typeof value === 'boolean' ? value : undefined) }
const duration: Shape = {
  expected: waitExpected,
  parse: value => (typeof value === 'string' ? waitSeconds(value) : undefined),
}
const texts: Shape = {
  expected: 'a list of texts',
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

/** `faults`: a sentence for each field that is not as it should be; `values` has the others. */
export type FieldsRead = { readonly source: FieldsSource; readonly values: JsonMap; readonly faults: readonly string[] }

/** Every place that has any of the interface, the one that counts first; one without values where none has. */
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

/** Empty means nothing, as null and absent do. */
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
