// A stand-in for etcd-druid. An Etcd gets a StatefulSet that claims its volumes and a Service for clients, and its status
// follows the StatefulSet. No etcd runs in the Pods. As in druid, a changed spec is only applied when the operation
// annotation asks for it.
import { etcdKind } from '../../api/garden/kinds.ts'
import { operationAnnotation } from '../../api/garden/operations.ts'
import { mapOrEmpty } from '../../core/json/json.ts'
import { isDeleting, type KubeObject } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { fieldsAt, type JsonMap, numberAt, textAt } from '../value.ts'
import {
  finalizerRemoved,
  type Known,
  patched,
  type StandIn,
  statusWritten,
  type Writer,
  withFinalizer,
  withStandInConditions,
} from './stand-in.ts'

const statefulSetKind = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const
const serviceKind = { apiVersion: 'v1', kind: 'Service' } as const

const finalizer = 'druid.gardener.cloud/etcd-druid'

export const druid = (client: Client): StandIn => {
  const writer = { client, manager: 'etcd-druid' }
  return {
    name: 'etcd-druid',
    kinds: [etcdKind, statefulSetKind, serviceKind].map(kind => ({ ...kind, client })),
    reconcile: async known => {
      for (const etcd of known.all(etcdKind)) await (isDeleting(etcd) ? cleanedUp : reconciled)(writer, known, etcd)
      return undefined
    },
  }
}

const reconciled = async (writer: Writer, known: Known, etcd: KubeObject): Promise<void> => {
  const isAsked = etcd.metadata.annotations?.[operationAnnotation] !== undefined
  const found = known.find({ ...statefulSetKind, ...placeOf(etcd) })
  const set = isAsked || found === undefined ? await applied(writer, etcd) : found
  const observed = isAsked || found === undefined ? etcd.metadata.generation : undefined
  const written = await statusWritten(writer, etcd, statusOf(etcd, set, observed))
  if (isAsked) await patched(writer, written, { metadata: { annotations: { [operationAnnotation]: null } } })
}

const applied = async ({ client, manager }: Writer, given: KubeObject): Promise<KubeObject> => {
  const etcd = await withFinalizer({ client, manager }, given, finalizer)
  const options = { fieldManager: manager, force: true }
  await client.apply(clientService(etcd), options)
  return client.apply(statefulSet(etcd), options)
}

const cleanedUp = async (writer: Writer, known: Known, etcd: KubeObject): Promise<void> => {
  const place = placeOf(etcd)
  const own = [
    { ...serviceKind, ...place, name: clientServiceName(etcd) },
    { ...statefulSetKind, ...place },
  ].filter(ref => known.find(ref))
  for (const ref of own) await writer.client.delete(ref, { propagation: 'Background' })
  if (own.length === 0) await finalizerRemoved(writer, etcd, finalizer)
}

const placeOf = ({ metadata }: KubeObject) => ({ namespace: metadata.namespace ?? '', name: metadata.name })

const statusOf = (etcd: KubeObject, set: KubeObject, observed: number | undefined): JsonMap => {
  const replicas = numberAt(etcd, ['spec', 'replicas'], 1)
  const isCurrent = numberAt(set, ['status', 'observedGeneration']) >= (set.metadata.generation ?? 1)
  const readyReplicas = numberAt(set, ['status', 'readyReplicas'])
  const updated = numberAt(set, ['status', 'updatedReplicas'])
  const isReady = isCurrent && readyReplicas >= replicas && updated >= replicas
  const status = isReady ? 'True' : 'False'
  const [quorum, members] = isReady ? ['Quorate', 'AllMembersReady'] : ['QuorumLost', 'NotAllMembersReady']
  const message = 'The stand-in compares the ready Pods of the StatefulSet with spec.replicas.'
  const conditions = [
    { type: 'Ready', status, reason: quorum, message },
    { type: 'AllMembersReady', status, reason: members, message },
    { type: 'BackupReady', status: 'True', reason: 'BackupSucceeded', message: 'The stand-in makes no backups.' },
  ] as const
  return {
    ...(observed !== undefined && { observedGeneration: observed }),
    conditions: withStandInConditions(etcd, conditions),
    etcd: { ...statefulSetKind, name: etcd.metadata.name },
    ready: isReady,
    replicas,
    readyReplicas,
    currentReplicas: readyReplicas,
  }
}

const ownerOf = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid: uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})

const selectorOf = (etcd: KubeObject): JsonMap => ({
  'app.kubernetes.io/part-of': etcd.metadata.name,
  'app.kubernetes.io/managed-by': 'etcd-druid',
})

const clientServiceName = ({ metadata }: KubeObject): string => `${metadata.name}-client`

const clientService = (etcd: KubeObject): KubeObject => {
  const { namespace } = etcd.metadata
  const given = mapOrEmpty(fieldsAt(etcd, 'spec', 'etcd', 'clientService'))
  const { annotations, labels } = given as Record<string, Record<string, string>>
  const port = (name: string, number: number) => ({ name, port: number, protocol: 'TCP', targetPort: number })
  return {
    ...serviceKind,
    metadata: {
      name: clientServiceName(etcd),
      namespace,
      ownerReferences: [ownerOf(etcd)],
      ...(annotations && { annotations }),
      ...(labels && { labels }),
    },
    spec: {
      selector: selectorOf(etcd),
      ports: [
        port('client', numberAt(etcd, ['spec', 'etcd', 'clientPort'], 2379)),
        port('server', numberAt(etcd, ['spec', 'etcd', 'serverPort'], 2380)),
        port('backuprestore', numberAt(etcd, ['spec', 'backup', 'port'], 8080)),
      ],
      ...(typeof given.trafficDistribution === 'string' && { trafficDistribution: given.trafficDistribution }),
    },
  }
}

const statefulSet = (etcd: KubeObject): KubeObject => {
  const { name, namespace } = etcd.metadata
  const claim = textAt(etcd, 'spec', 'volumeClaimTemplate') || name
  const labels = { ...fieldsAt(etcd, 'spec', 'labels'), ...selectorOf(etcd) }
  const annotations = fieldsAt(etcd, 'spec', 'annotations')
  const secrets = [...new Set(secretNames(etcd.spec))]
  return {
    ...statefulSetKind,
    metadata: { name, namespace, ownerReferences: [ownerOf(etcd)] },
    spec: {
      replicas: numberAt(etcd, ['spec', 'replicas'], 1),
      serviceName: `${name}-peer`,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: selectorOf(etcd) },
      template: {
        metadata: { labels, ...(annotations && { annotations }) },
        spec: {
          containers: [{ name: 'etcd', image: textAt(etcd, 'spec', 'etcd', 'image') || 'etcd' }],
          volumes: secrets.map(secretName => ({ name: secretName, secret: { secretName } })),
        },
      },
      volumeClaimTemplates: [claimTemplate(etcd, claim)],
    },
  }
}

const claimTemplate = (etcd: KubeObject, name: string): JsonMap => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    ...(textAt(etcd, 'spec', 'storageClass') && { storageClassName: textAt(etcd, 'spec', 'storageClass') }),
    resources: { requests: { storage: textAt(etcd, 'spec', 'storageCapacity') || '16Gi' } },
  },
})

/** The Secrets of certificates and stores that the spec names at any depth. They are mounted, so that a new name changes the Pods. */
const secretNames = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(secretNames)
  return Object.entries(mapOrEmpty(value)).flatMap(([field, inner]) =>
    /secretref$/i.test(field) ? textAt(inner, 'name') || [] : secretNames(inner),
  )
}
