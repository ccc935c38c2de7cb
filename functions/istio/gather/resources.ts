// Reads the mesh resources as they are, and what decides about them besides the Istio.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { whenRead } from '../../../shared/core/reading.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed, reading } from '../../../shared/kube/reading.ts'
import { type ResourceRow, resourceName } from '../desired/resources/resource-row.ts'
import { resourceRows } from '../desired/resources/resource-rows.ts'
import { vpaKind } from '../desired/resources/vertical-pod-autoscalers.ts'
import type { ResourcesFacts } from '../world.ts'
import type { Looking } from './looking.ts'

/** Each by a read of its own: they are few, while lists of their kinds may be long. */
export const readResources = async ({ context }: Looking, rows = resourceRows): Promise<ResourcesFacts> => {
  const { reads, clusters } = context
  const isVpaServed = (await (await clusters.of('local')).scopeOf(vpaKind)) !== 'unserved'
  const isReadable = ({ ref }: ResourceRow) => ref.kind !== vpaKind.kind || isVpaServed
  const [apiPort, live] = await Promise.all([
    readApiPort(reads),
    Promise.all(
      rows
        .filter(isReadable)
        .map(async ({ ref }) => [resourceName(ref), await reading(getIfServed(reads, ref))] as const),
    ),
  ])
  return { rows, isVpaServed, apiPort, live: new Map(live) }
}

const apiService = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'kubernetes' }
const usualApiPort = 443

/** Behind its Service: policies are about the ports of Pods and hosts. */
const readApiPort = async (reads: Pick<Reads, 'get'>): Promise<number> =>
  whenRead(await reading(reads.get(apiService)), targetPort, () => undefined) ?? usualApiPort

const targetPort = (service: KubeObject | undefined): number | undefined => {
  const port = mapsIn(mapOrEmpty(service?.spec).ports).find(({ name }) => name === 'https')?.targetPort
  return typeof port === 'number' ? port : undefined
}
