// Adds the defaults of all options to a definition.
import { applyPriorities, deletePriorities } from '../../../component/applied/priorities.ts'
import type { ComponentDefinition, ComponentOptions, Hooks } from './definition.ts'

type Open = 'defaultServiceAccount' | 'readiness' | 'inventory'

export type EngineOptions = Omit<ComponentOptions, Open> & Partial<Pick<ComponentOptions, Open>>

export type Engine = Pick<ComponentDefinition, 'name' | 'kind' | 'generator'> & {
  /** The first label of the name. */
  readonly functionName: string
  readonly options: EngineOptions
  readonly hooks: Hooks
}

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
