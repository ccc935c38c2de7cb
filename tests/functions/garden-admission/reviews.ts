// Reviews of Gardens for tests: what is asked, and the answer in words short enough for a table.
import { fill, review } from '../../../functions/garden-admission/review.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { AdmissionRequest, AdmissionVerdict } from '../../../shared/runtime/definition.ts'
import { type Garden, garden, gardenWith } from '../../make/garden/garden.ts'

export const request = (change: Partial<AdmissionRequest>): AdmissionRequest => ({
  uid: 'u',
  operation: 'CREATE',
  kind: { group: 'operator.gardener.cloud', version: 'v1alpha1', kind: 'Garden' },
  resource: { group: 'operator.gardener.cloud', version: 'v1alpha1', resource: 'gardens' },
  name: 'garden',
  object: null,
  oldObject: null,
  dryRun: false,
  userInfo: {},
  ...change,
})

export const readsOf = (...gardens: KubeObject[]): Reads => ({ get: async () => undefined, list: async () => gardens })

/** The object after the mutating webhook. */
export const filled = <T extends KubeObject>(object: T): T => {
  const verdict = fill(request({ object }))
  if (!verdict.allowed || !verdict.object) throw new Error('the mutating webhook refuses nothing')
  return verdict.object as T
}

export const verdictOn = async (object: KubeObject, before?: KubeObject): Promise<AdmissionVerdict> =>
  review(request({ operation: before ? 'UPDATE' : 'CREATE', object, oldObject: before ?? null }), { reads: readsOf() })

/** `Invalid spec.x: Invalid value: "v": why`, the path without `spec.`, one line for each cause. */
export const causesOf = async (object: KubeObject, before?: KubeObject): Promise<string[]> => {
  const verdict = await verdictOn(object, before)
  if (verdict.allowed) return []
  return (verdict.causes ?? []).map(
    ({ reason, field, message }) => `${reason.replace('FieldValue', '')} ${field.replace(/^spec\./, '')}: ${message}`,
  )
}

/** The smallest Garden as it would be stored. */
export const smallest = (): Garden => filled(garden())

/** The Garden in deletion. */
export const leaving = (object: Garden): Garden =>
  ({ ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }) as Garden

/** The Garden with an operation asked for. */
export const annotated = (operation: string, object: Garden = smallest()): Garden =>
  ({ ...object, metadata: { ...object.metadata, annotations: { 'gardener.cloud/operation': operation } } }) as Garden

/** The Garden as it was spelled before. */
export const older = (): KubeObject =>
  gardenWith({
    'spec.virtualCluster.dns': { domain: 'virtual.garden.example.com' },
    'spec.runtimeCluster.ingress': { controller: { kind: 'nginx' }, domain: 'ingress.runtime.garden.example.com' },
    'spec.runtimeCluster.networking': { nodes: '10.0.0.0/16', pods: '10.1.0.0/16', services: '10.2.0.0/16' },
    'spec.virtualCluster.networking.services': '100.64.0.0/13',
  })
