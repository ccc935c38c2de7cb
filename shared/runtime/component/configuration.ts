// What a single component says beside its kind's options: where its dependents go, as whom they are written, how long is
// waited, by which policies. Pure. Each interface is taken as a whole from the first place that has any of it: the code of
// the definition, the component's top level, its spec.

import type { AdoptionPolicy, UpdatePolicy } from '../../component/policies.ts'
import { adoptionPolicies, deletePolicies, policyNamed, updatePolicies } from '../../component/policies.ts'
import type { GroupKind } from '../../component/settings.ts'
import { waitExpected, waitSeconds } from '../../core/duration.ts'
import { isMap, isText, type JsonMap } from '../../core/json.ts'
import type { KubeObject } from '../../core/object.ts'
import type { ConfigurationInCode, ConfigurationInterface } from './definition.ts'

export type Configuration = {
  readonly deploymentNamespace: string
  readonly deploymentName: string
  readonly kubeConfig?: KubeConfigSource
  readonly impersonationUser?: string
  readonly impersonationGroups: readonly string[]
  readonly requeueSeconds: number
  readonly retrySeconds: number
  readonly timeoutSeconds: number
  readonly adoptionPolicy?: AdoptionPolicy
  readonly updatePolicy?: UpdatePolicy
  readonly deletePolicy?: 'Delete' | 'Orphan'
  readonly createMissingNamespaces?: boolean
  readonly additionalManagedTypes: readonly GroupKind[]
  readonly isSuspended: boolean
  readonly reapplySeconds?: number
}

/** A Secret of the component's namespace, or the text itself, which only code can give. */
export type KubeConfigSource = { readonly secret: string; readonly key?: string } | { readonly text: string }

/** `faults`: a sentence for each field that is not as it should be. */
export type Configured = { readonly configuration: Configuration } | { readonly faults: readonly string[] }

type Shape = { readonly expected: string; readonly parse: (value: unknown, source: Source) => unknown }

/** Code may say what a component may not: a kubeconfig itself. */
type Source = 'code' | 'component'

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

/** The fields of each interface. */
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

const usualRequeueSeconds = 600

export const configurationOf = (component: KubeObject, inCode: ConfigurationInCode): Configured => {
  const read = Object.entries(fields).flatMap(([name, shapes]) =>
    fieldsOf(placeOf(component, { name: name as ConfigurationInterface, shapes, inCode }), shapes),
  )
  const faults = read.flatMap(({ fault }) => fault ?? [])
  if (faults.length > 0) return { faults }
  return { configuration: configured(component, Object.fromEntries(read.map(({ field, value }) => [field, value]))) }
}

type Place = { readonly source: Source; readonly path: string; readonly values: JsonMap }

type Asked = {
  readonly name: ConfigurationInterface
  readonly shapes: Readonly<Record<string, Shape>>
  readonly inCode: ConfigurationInCode
}

const placeOf = (component: KubeObject, { name, shapes, inCode }: Asked): Place => {
  const spec = isMap(component.spec) ? component.spec : {}
  const places: Place[] = [
    { source: 'code', path: '', values: inCode[name]?.(component) ?? {} },
    { source: 'component', path: '', values: component },
    { source: 'component', path: 'spec.', values: spec },
  ]
  const isThere = ({ values }: Place) => Object.keys(shapes).some(field => isGiven(values[field]))
  return places.find(isThere) ?? { source: 'component', path: '', values: {} }
}

/** Empty means nothing, as null and absent do. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const fieldsOf = ({ source, path, values }: Place, shapes: Readonly<Record<string, Shape>>) =>
  Object.entries(shapes)
    .filter(([field]) => isGiven(values[field]))
    .map(([field, { expected, parse }]) => {
      const value = parse(values[field], source)
      const said = JSON.stringify(values[field]).slice(0, 100)
      return { field, value, ...(value === undefined && { fault: `${path}${field} is ${said}, not ${expected}` }) }
    })

type Values = Partial<{
  deploymentNamespace: string
  deploymentName: string
  kubeConfig: KubeConfigSource
  impersonationUser: string
  serviceAccountName: string
  impersonationGroups: string[]
  requeueInterval: number
  retryInterval: number
  timeout: number
  adoptionPolicy: AdoptionPolicy
  updatePolicy: UpdatePolicy
  deletePolicy: 'Delete' | 'Orphan'
  createMissingNamespaces: boolean
  additionalManagedTypes: GroupKind[]
  suspend: boolean
  reapplyInterval: number
}>

const configured = ({ metadata }: KubeObject, values: Values): Configuration => {
  const requeueSeconds = values.requeueInterval ?? usualRequeueSeconds
  return {
    ...values,
    deploymentNamespace: values.deploymentNamespace ?? metadata.namespace ?? '',
    deploymentName: values.deploymentName ?? metadata.name,
    impersonationUser: userIn(values, metadata.namespace ?? ''),
    impersonationGroups: values.impersonationGroups ?? [],
    requeueSeconds,
    retrySeconds: values.retryInterval ?? requeueSeconds,
    timeoutSeconds: values.timeout ?? requeueSeconds,
    additionalManagedTypes: values.additionalManagedTypes ?? [],
    isSuspended: values.suspend ?? false,
    reapplySeconds: values.reapplyInterval,
  }
}

/** A service account without a namespace is one of the component's. */
const userIn = ({ impersonationUser, serviceAccountName }: Values, namespace: string): string | undefined => {
  const user = impersonationUser ?? (serviceAccountName && `system:serviceaccount::${serviceAccountName}`)
  return user?.replace(/^system:serviceaccount::/, `system:serviceaccount:${namespace}:`)
}

const isGroupKind = (value: unknown): value is GroupKind =>
  isMap(value) && typeof value.group === 'string' && typeof value.kind === 'string'

const secretNamed = (value: unknown): KubeConfigSource | undefined => {
  const ref = isMap(value) && isMap(value.secretRef) ? value.secretRef : {}
  const { name, key } = ref
  if (typeof name !== 'string' || name === '') return undefined
  return { secret: name, ...(isText(key) && { key }) }
}
