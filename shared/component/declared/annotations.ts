// Reads the annotations that set the policies of a manifest. Example: `P/update-policy: recreate`. Defaults come from the component's
// settings.
import type { KubeObject } from '../../core/objects/object.ts'
import { waitExpected, waitSeconds } from '../../core/time/duration.ts'
import {
  adoptionPolicies,
  deletePolicies,
  type KeptPolicies,
  kebabCase,
  policyNamed,
  reconcilePolicies,
  updatePolicies,
} from '../item.ts'
import { type Hints, readHints } from '../observed/readiness.ts'
import type { EngineSettings } from '../settings.ts'
import type { Sentence } from '../world.ts'

export type Policies = KeptPolicies & {
  /** The object is deleted when the wave of this order is ready; undefined: never. */
  readonly purgeOrder: number | undefined
  readonly reapplySeconds: number
  readonly hints: Hints
  /** The moments at which a delete hook is applied, at the component's deletion. Empty for a regular dependent. */
  readonly deleteHooks: readonly DeleteHook[]
}

export const deleteHooks = ['pre-delete', 'post-delete'] as const
export type DeleteHook = (typeof deleteHooks)[number]

type Row = {
  readonly key: string
  readonly field: keyof Policies
  readonly expected: string
  /** Returns undefined for an invalid text. */
  read(text: string): Policies[keyof Policies] | typeof asComponent
  readonly notOn?: readonly string[]
}

/** This value stands for the default. */
const asComponent = Symbol('as the component says')

const oneOf = (names: readonly string[]): string => `one of ${names.map(kebabCase).join(', ')}`

const order = { expected: 'an integer from -32768 to 32767', read: (text: string) => orderOf(text) }

const rows: readonly Row[] = [
  {
    key: 'adoption-policy',
    field: 'adoptionPolicy',
    expected: oneOf(adoptionPolicies),
    read: text => (text === '' ? asComponent : policyNamed(adoptionPolicies, text)),
  },
  {
    key: 'reconcile-policy',
    field: 'reconcilePolicy',
    expected: oneOf(reconcilePolicies),
    read: text => (text === '' ? asComponent : policyNamed(reconcilePolicies, text)),
  },
  {
    key: 'update-policy',
    field: 'updatePolicy',
    expected: oneOf([...updatePolicies, 'default']),
    read: text => (isDefault(text) ? asComponent : policyNamed(updatePolicies, text)),
  },
  {
    key: 'delete-policy',
    field: 'deletePolicy',
    expected: oneOf([...deletePolicies, 'default']),
    read: text => (isDefault(text) ? asComponent : policyNamed(deletePolicies, text)),
  },
  { key: 'apply-order', field: 'applyOrder', ...order },
  { key: 'delete-order', field: 'deleteOrder', ...order },
  {
    key: 'purge-order',
    field: 'purgeOrder',
    ...order,
    notOn: ['Namespace', 'CustomResourceDefinition', 'APIService'],
  },
  { key: 'reapply-interval', field: 'reapplySeconds', expected: waitExpected, read: waitSeconds },
  {
    key: 'status-hint',
    field: 'hints',
    expected: 'a comma-separated list of has-observed-generation, has-ready-condition, conditions=A;B',
    read: readHints,
  },
  {
    key: 'delete-hook',
    field: 'deleteHooks',
    expected: 'a comma-separated list of pre-delete, post-delete',
    read: text => readDeleteHooks(text),
  },
]

type ReadPolicies = { readonly policies: Policies; readonly faults: readonly Sentence[] }

/** `faults` contain key and value of invalid annotations. */
export const policiesOf = (manifest: KubeObject, settings: EngineSettings): ReadPolicies => {
  const said = rows.flatMap(row => {
    const text = manifest.metadata.annotations?.[`${settings.reconcilerName}/${row.key}`]
    return text === undefined ? [] : [{ row, text, value: row.read(text) }]
  })
  const understood = said.filter(({ value }) => value !== undefined && value !== asComponent)
  return {
    policies: { ...silent(settings), ...Object.fromEntries(understood.map(({ row, value }) => [row.field, value])) },
    faults: said.flatMap(({ row, text, value }) => {
      const key = `annotation ${settings.reconcilerName}/${row.key}`
      const quoted = JSON.stringify(text)
      if (value === undefined)
        return [{ full: `${key} is ${quoted}, not ${row.expected}`, bare: `${key} is not ${row.expected}` }]
      if (!row.notOn?.includes(manifest.kind)) return []
      return [{ full: `${key}, ${quoted}, is not allowed for this kind`, bare: `${key} is not for this kind` }]
    }),
  }
}

/** Whether the manifest has the annotation for delete hooks, with any value. Delete hooks are applied only at the component's deletion. */
export const isDeleteHook = ({ metadata }: KubeObject, reconcilerName: string): boolean =>
  metadata?.annotations?.[`${reconcilerName}/delete-hook`] !== undefined

const silent = (settings: EngineSettings): Policies => ({
  adoptionPolicy: settings.adoptionPolicy,
  reconcilePolicy: 'OnObjectChange',
  updatePolicy: settings.updatePolicy,
  deletePolicy: settings.deletePolicy,
  applyOrder: 0,
  deleteOrder: 0,
  purgeOrder: undefined,
  reapplySeconds: settings.reapplySeconds,
  hints: { conditions: [] },
  deleteHooks: [],
})

/** An empty annotation means the default, because a template may insert an empty value. */
const isDefault = (text: string): boolean => ['', 'default', 'Default'].includes(text)

const orderOf = (text: string): number | undefined => {
  const value = Number(text)
  return /^[+-]?\d+$/.test(text) && value >= -32768 && value <= 32767 ? value : undefined
}

const readDeleteHooks = (text: string): DeleteHook[] | undefined => {
  const found = text.split(',').map(part => deleteHooks.find(hook => hook === part.trim()))
  return found.includes(undefined) ? undefined : found.filter(hook => hook !== undefined)
}
