// Why a module cannot be installed or updated, and what that means for its entry in the status: one row per kind of fault.
import type { ModuleState } from '../kinds.ts'

/** `endsAt`: when the fault ends by itself. */
export type ModuleFault = { readonly is: FaultKind; readonly text: string; readonly endsAt?: Date }

export type FaultKind =
  /** No ModuleTemplate fits. */
  | 'notFound'
  /** The Kyma may not have the module. */
  | 'notAllowed'
  /** The channel leads to a lower version than is installed. */
  | 'downgrade'
  /** One of two versions cannot be compared. */
  | 'noVersion'
  /** The update waits for a maintenance window. */
  | 'windowClosed'
  /** The roll-out has not reached this Kyma yet. */
  | 'notYet'
  /** Something of the module is missing or broken, but may still come. */
  | 'unresolved'
  /** What people wrote contradicts itself. */
  | 'wrong'
  /** Something outside, such as a registry, has to recover. */
  | 'outside'

type Row = {
  /** The state of the module; if absent, the state of its Manifest. */
  readonly state?: ModuleState
  /** The Manifest is deleted, and the module's entry in the status forgets the module. */
  readonly removes?: true
  readonly waitsForWindow?: true
  /** Only a person can end the fault. */
  readonly needsPerson?: true
  readonly isOutside?: true
}

const rows: Readonly<Record<FaultKind, Row>> = {
  notFound: { state: 'Warning' },
  notAllowed: { state: 'Error', removes: true },
  downgrade: { state: 'Warning' },
  noVersion: { state: 'Warning', needsPerson: true },
  windowClosed: { waitsForWindow: true },
  notYet: {},
  unresolved: { state: 'Error' },
  wrong: { state: 'Error', needsPerson: true },
  outside: { state: 'Error', isOutside: true },
}

export const meaningOf = ({ is }: ModuleFault): Row => rows[is]
