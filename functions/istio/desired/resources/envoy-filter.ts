// EnvoyFilters of the mesh's root namespace.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { ObjectRef } from '../../../../shared/core/objects/object.ts'

export const envoyFilterKind = { apiVersion: 'networking.istio.io/v1alpha3', kind: 'EnvoyFilter' } as const

export const envoyFilterRef = (name: string): ObjectRef => ({
  ...envoyFilterKind,
  namespace: istioNames.namespaces.mesh,
  name,
})
