// Why a module cannot be installed or updated, and the effect on its entry in the status: one row per kind of fault.
import type { ModuleState } from '../kinds.ts'

/** `endsAt`: when the fault ends automatically. */
export type ModuleFault = { readonly is: FaultKind; readonly text: string; readonly endsAt?: Date }

export type FaultKind =
  /** No ModuleTemplate fits. */
  | 'notFound'
  /** The Kyma may not have the module. */
  | 'notAllowed'
  /** The channel has a lower version than the installed version. */
  | 'downgrade'
  /** One of the two versions cannot be compared. */
  | 'noVersion'
  /** The update waits for a maintenance window. */
  | 'windowClosed'
  /** The roll-out has not reached this Kyma yet. */
  | 'notYet'
  /** A part of the module is missing or invalid, but this may change. */
  | 'unresolved'
  /** Fields written by users contradict each other. */
  | 'wrong'
  /** An external system, such as a registry, must recover. */
  | 'outside'

type Row = {
  /** The state of the module. Absent: the state of its Manifest. */
  readonly state?: ModuleState
  /** The Manifest is deleted, and the module's entry is removed from the status. */
  readonly removes?: true
  readonly waitsForWindow?: true
  /** Only a user can correct the fault. */
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
