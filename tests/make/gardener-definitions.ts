// Gardener's kinds of a virtual garden without gardener-apiserver: those that are stored encrypted, and Seeds.
import { encryptedKinds, seedKind } from '../../functions/garden-reconcile/rules/rotation/virtual-kinds.ts'
import type { KubeObject } from '../../shared/core/object.ts'

const definitionOf = ({ apiVersion, kind, plural }: typeof seedKind): KubeObject => {
  const [group = '', name = ''] = apiVersion.split('/')
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const versions = [{ name, served: true, storage: true, schema }]
  return {
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
    },
    spec: { group, names, scope: kind === 'Seed' ? 'Cluster' : 'Namespaced', versions },
  }
}

export const gardenerDefinitions = [...encryptedKinds['gardener-apiserver'], seedKind].map(definitionOf)
