// A stand-in for Gardener in the virtual garden. It has the CustomResourceDefinitions, without schemas, that a rotation of credentials
// reads. Its gardenlet removes an operation annotation from a Seed at once, because there are no credentials to renew.
import { operationAnnotation } from '../../api/garden/operations.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { patched, type StandIn } from './stand-in.ts'

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

const seeds = { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Seed' }

export const gardenlet = (client: Client): StandIn => ({
  name: 'gardenlet',
  kinds: [{ ...seeds, client }],
  reconcile: async known => {
    for (const seed of known.all(seeds))
      if (seed.metadata.annotations?.[operationAnnotation] !== undefined)
        await patched({ client, manager: 'gardenlet' }, seed, {
          metadata: { annotations: { [operationAnnotation]: null } },
        })
    return undefined
  },
})
