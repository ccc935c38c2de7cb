// The parts of one embedded cluster, as its verbs see them. Several can live in one process; none shares anything that
// changes.
import type { Admission } from './admission/admission.ts'
import type { Authorization } from './authorization/rbac.ts'
import type { Chores } from './collect/chores.ts'
import type { Authentication } from './identity/authenticate.ts'
import type { Tokens } from './identity/tokens.ts'
import type { Registry } from './kinds/registry.ts'
import type { Store } from './storage/store.ts'
import type { Watches } from './watches.ts'

export type Cluster = {
  readonly store: Store
  readonly registry: Registry
  readonly watches: Watches
  readonly chores: Chores
  readonly tokens: Tokens
  readonly authentication: Authentication
  readonly authorization: Authorization
  readonly admission: Admission
  /** host:port */
  address(): string
  /** https://host:port */
  url(): string
}
