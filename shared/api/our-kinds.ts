// The kinds that Espalier lists for users, and whose states functions maintain.
import { gardenKind } from './garden.ts'
import { istioKind } from './istio.ts'
import { kymaKind, manifestKind, watcherKind } from './kyma.ts'

export const ourKinds: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' },
  gardenKind,
  istioKind,
  kymaKind,
  manifestKind,
  watcherKind,
]
