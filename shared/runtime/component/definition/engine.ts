// Checks a definition at program start, so that developers see mistakes at once, and adds the defaults of all options.
import { adoptionPolicies, deletePolicies, updatePolicies } from '../../../component/item.ts'
import { applyPriorities, deletePriorities } from '../../../component/settings.ts'
import { checks } from '../../../core/decisions/checks.ts'
import { hookPoints } from '../../../core/decisions/plan.ts'
import { isMap, isText } from '../../../core/json/json.ts'
import { isSubdomain } from '../../../core/objects/dns-name.ts'
import { waitExpected, waitSeconds } from '../../../core/time/duration.ts'
import { type ComponentDefinition, type ComponentOptions, configurationInterfaces, type Hooks } from './definition.ts'

export type Engine = Pick<ComponentDefinition, 'name' | 'kind' | 'generator'> & {
  /** The first label of the name. */
  readonly functionName: string
  readonly options: EngineOptions
  readonly hooks: Hooks
}

export type EngineOptions = Omit<ComponentOptions, Open> & Partial<Pick<ComponentOptions, Open>>

type Open = 'defaultServiceAccount' | 'readiness' | 'inventory'

export const engineOf = ({ name, kind, generator, options = {}, hooks = {} }: ComponentDefinition): Engine => ({
  name,
  kind,
  generator,
  functionName: name.split('.', 1)[0] ?? name,
  hooks: { postRead: [], preReconcile: [], postReconcile: [], preDelete: [], postDelete: [], ...hooks },
  options: engineOptions(name, options),
})

export const engineOptions = (name: string, given: Partial<ComponentOptions>): EngineOptions => {
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...usual(name), ...Object.fromEntries(named) }
}

const usual = (name: string): EngineOptions => ({
  fieldOwner: name,
  finalizer: name,
  createMissingNamespaces: true,
  adoptionPolicy: 'IfUnowned',
  updatePolicy: 'Replace',
  deletePolicy: 'Delete',
  reapplyInterval: '60m',
  impersonationScope: 'any',
  references: [],
  parameters: component => component.spec ?? {},
  hasPureGenerator: false,
  notes: () => ({}),
  statusPath: 'status',
  reclaimedManagers: ['kubectl', 'helm'],
  kubeConfigHosts: [],
  kubeConfigLookups: false,
  requestsInFlight: 16,
  applyPriorities,
  deletePriorities,
  crdFinalizers: true,
  inventoryFields: 'nonDefault',
  deletionBlockers: 'managed',
  whileBlocked: 'hold',
  configuration: {},
})

/** The first fault, as a sentence that starts with the field; undefined without faults. */
export const definitionFault = checks<[ComponentDefinition], string>(
  ({ name }) => !(isText(name) && isSubdomain(name)) && `name: ${JSON.stringify(name)} is not a DNS name`,
  ({ kind }) => kindFault(kind),
  ({ generator }) => typeof generator !== 'function' && 'generator: is not a function',
  ({ options = {} }) => optionFault(options),
  ({ hooks = {} }) => hookFault(hooks),
)

const kindFault = (kind: ComponentDefinition['kind'] | undefined): string | undefined => {
  const missing = (['group', 'version', 'kind', 'plural'] as const).find(field => typeof kind?.[field] !== 'string')
  return missing && `kind.${missing}: is missing`
}

type Rule = { readonly expected: string; readonly fits: (value: unknown) => boolean }

const oneOf = (...allowed: readonly string[]): Rule => ({
  expected: `one of ${allowed.join(', ')}`,
  fits: value => typeof value === 'string' && allowed.includes(value),
})
const text: Rule = { expected: 'a text', fits: isText }
const texts: Rule = { expected: 'a list of strings', fits: value => Array.isArray(value) && value.every(isText) }
const boolean: Rule = { expected: 'true or false', fits: value => typeof value === 'boolean' }
const code: Rule = { expected: 'a function', fits: value => typeof value === 'function' }
const priorities: Rule = {
  expected: 'numbers by kind',
  fits: value => isMap(value) && Object.values(value).every(Number.isInteger),
}

const rules: Readonly<Record<keyof ComponentOptions, Rule>> = {
  fieldOwner: text,
  finalizer: text,
  createMissingNamespaces: boolean,
  adoptionPolicy: oneOf(...adoptionPolicies),
  updatePolicy: oneOf(...updatePolicies),
  deletePolicy: oneOf(...deletePolicies.slice(0, 2)),
  reapplyInterval: { expected: waitExpected, fits: value => isText(value) && waitSeconds(value) !== undefined },
  defaultServiceAccount: text,
  impersonationScope: oneOf('any', 'ownNamespace'),
  references: { expected: 'a list of {path, kind} or {path, load, digest}', fits: isReferences },
  parameters: code,
  hasPureGenerator: boolean,
  notes: code,
  statusPath: {
    expected: 'status or a field below it',
    fits: value => isText(value) && /^status(\.\w+)*$/.test(value),
  },
  reclaimedManagers: texts,
  kubeConfigHosts: texts,
  kubeConfigLookups: boolean,
  requestsInFlight: { expected: 'a whole number above 0', fits: value => Number.isInteger(value) && Number(value) > 0 },
  readiness: code,
  inventory: {
    expected: '{read, write}',
    fits: value => isMap(value) && code.fits(value.read) && code.fits(value.write),
  },
  applyPriorities: priorities,
  deletePriorities: priorities,
  crdFinalizers: boolean,
  inventoryFields: oneOf('nonDefault', 'all'),
  deletionBlockers: {
    expected: 'managed, none, a list of {group, kind} or a function',
    fits: value => code.fits(value) || Array.isArray(value) || value === 'managed' || value === 'none',
  },
  whileBlocked: oneOf('hold', 'repair'),
  configuration: {
    expected: `functions by interface: ${configurationInterfaces.join(', ')}`,
    fits: value =>
      isMap(value) && Object.entries(value).every(([name, read]) => isInterface(name) && typeof read === 'function'),
  },
}

function isReferences(value: unknown): boolean {
  const isReference = (one: unknown) =>
    isMap(one) && isText(one.path) && ('load' in one ? code.fits(one.load) && code.fits(one.digest) : 'kind' in one)
  return Array.isArray(value) && value.every(isReference)
}

const isInterface = (name: string): boolean => configurationInterfaces.some(known => known === name)

const optionFault = (options: object): string | undefined => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const faults = given.map(([name, value]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof ComponentOptions] : undefined
    if (!rule)
      return `options.${name} is not an option of component(); expected one of ${Object.keys(rules).join(', ')}`
    return rule.fits(value) ? undefined : `options.${name} is ${shown(value)}; expected ${rule.expected}`
  })
  return faults.find(fault => fault !== undefined)
}

const hookFault = (hooks: object): string | undefined => {
  const wrong = Object.entries(hooks).find(
    ([point, list]) => !hookPoints.some(known => known === point) || !Array.isArray(list) || !list.every(code.fits),
  )
  return wrong && `hooks.${wrong[0]}: expected lists of functions at ${hookPoints.join(', ')}`
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 100)
