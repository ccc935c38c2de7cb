// Gardens and what they refer to, valid unless a test says otherwise.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

import type { GardenReferenceKind } from '../../../shared/api/garden/references.ts'
import { gardenKind, gardenNamespace } from '../../../shared/api/garden.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject, ObjectMeta } from '../../../shared/core/objects/object.ts'
import { withValue } from '../field.ts'

export type { Garden }

/** What a test changes: fields are merged, lists are replaced, null takes a field away. */
export type Change<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Field in keyof T]?: Change<T[Field]> | null }
    : T

/** The smallest Garden that is valid, and the change. */
export const garden = (change: Change<Pick<Garden, 'metadata' | 'spec' | 'status'>> = {}): Garden =>
  mergePatched(smallest(), change) as Garden

/** The Garden with these values at these paths. */
export const gardenWith = (fields: Record<string, unknown>, start: Garden = garden()): Garden =>
  Object.entries(fields).reduce((made, [path, value]) => withValue(made, path, value), start)

/** Every field there is, in one Garden: the full sample and what it leaves out. */
export const fullGarden = (): Garden =>
  mergePatched(sample('garden-full'), {
    spec: {
      runtimeCluster: { ingress: { domain: 'older.example.com' } },
      virtualCluster: {
        dns: { domain: 'older.example.com' },
        kubernetes: { kubeAPIServer: { auditConfig, oidcConfig } },
        gardener: { gardenerAPIServer: { auditConfig } },
      },
    },
    status: fullStatus,
  }) as Garden

/** The Garden in manifests/samples, as kubectl reads it. */
export const sample = (name: 'garden' | 'garden-full'): Garden =>
  parse(readFileSync(join(samples, `${name}.yaml`), 'utf8'), { version: '1.1' })

const samples = join(import.meta.dirname, '..', '..', '..', 'manifests', 'samples')

const auditConfig = {
  auditPolicy: {
    configMapRef: {
      apiVersion: 'v1',
      fieldPath: 'data',
      kind: 'ConfigMap',
      namespace: 'garden',
      resourceVersion: '1',
      uid: 'f9b2',
    },
  },
}
const oidcConfig = {
  caBundle: '-----BEGIN CERTIFICATE-----',
  clientAuthentication: { secret: 'of clients' },
  clientID: 'garden',
  issuerURL: 'https://identity.example.com',
  usernameClaim: 'sub',
  usernamePrefix: 'oidc:',
  groupsClaim: 'groups',
  groupsPrefix: 'oidc:',
  signingAlgs: ['RS256'],
  requiredClaims: { hd: 'example.com' },
}

const time = '2026-01-01T00:00:00Z'
const rotation = {
  phase: 'Prepared',
  lastInitiationTime: time,
  lastInitiationFinishedTime: time,
  lastCompletionTriggeredTime: time,
  lastCompletionTime: time,
}
const pendingWorkersRollouts = [{ name: 'pool', lastInitiationTime: time }]
const fullStatus = {
  gardener: { id: 'host-0', name: 'garden-reconcile', version: 'v1.130.0' },
  observedGeneration: 3,
  conditions: [
    {
      type: 'Reconciled',
      status: 'Progressing',
      reason: 'ReconciliationProgressing',
      message: '',
      lastTransitionTime: time,
      lastUpdateTime: time,
      codes: ['ERR_EXAMPLE'],
    },
  ],
  lastOperation: { type: 'Reconcile', state: 'Processing', progress: 40, description: '', lastUpdateTime: time },
  credentials: {
    rotation: {
      certificateAuthorities: { ...rotation, pendingWorkersRollouts },
      serviceAccountKey: { ...rotation, pendingWorkersRollouts },
      etcdEncryptionKey: { ...rotation, autoCompleteAfterPrepared: true },
      observability: { lastInitiationTime: time, lastCompletionTime: time },
      workloadIdentityKey: rotation,
    },
    encryptionAtRest: { resources: ['secrets'], provider: { type: 'secretbox' } },
  },
  encryptedResources: ['secrets'],
  advertisedAddresses: [{ name: 'virtual-garden', url: 'https://api.virtual.garden.example.com' }],
}

const smallest = (): Garden => ({
  ...gardenKind,
  metadata: { name: 'garden' },
  spec: {
    runtimeCluster: {
      ingress: { controller: { kind: 'nginx' }, domains: [{ name: 'ingress.runtime.garden.example.com' }] },
      networking: { pods: ['10.1.0.0/16'], services: ['10.2.0.0/16'] },
      provider: {},
    },
    virtualCluster: {
      dns: { domains: [{ name: 'virtual.garden.example.com' }] },
      gardener: { clusterIdentity: 'garden-example' },
      kubernetes: { version: '1.34.3' },
      maintenance: { timeWindow: { begin: '220000+0100', end: '230000+0100' } },
      networking: { services: ['100.64.0.0/13'] },
    },
  },
})

/** A Secret or ConfigMap of namespace garden. */
export const referenced = (
  kind: GardenReferenceKind,
  name: string,
  metadata: Partial<ObjectMeta> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: gardenNamespace, ...metadata },
})
