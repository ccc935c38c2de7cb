// A stand-in for gardener-apiserver: definitions of those of its kinds that a rotation of credentials asks about. Whatever is written in
// objects of them is kept, and nothing is checked.
import type { KubeObject } from '../../core/objects/object.ts'

const rows = [
  { kind: 'ControllerDeployment', version: 'v1', scope: 'Cluster' },
  { kind: 'ControllerRegistration', version: 'v1beta1', scope: 'Cluster' },
  { kind: 'InternalSecret', version: 'v1beta1', scope: 'Namespaced' },
  { kind: 'Seed', version: 'v1beta1', scope: 'Cluster' },
  { kind: 'ShootState', version: 'v1beta1', scope: 'Namespaced' },
] as const

const group = 'core.gardener.cloud'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }

const definitionOf = ({ kind, version, scope }: (typeof rows)[number]): KubeObject => {
  const singular = kind.toLowerCase()
  const names = { kind, singular, plural: `${singular}s`, listKind: `${kind}List` }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, names, scope, versions: [{ name: version, served: true, storage: true, schema }] },
  }
}

export const gardenerDefinitions: readonly KubeObject[] = rows.map(definitionOf)
