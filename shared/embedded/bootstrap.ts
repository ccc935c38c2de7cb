// Creates the objects of every new cluster: four namespaces, the default roles, the API server's own Service, and in every namespace the
// default service account and the root certificate. Also computes the rules of aggregated ClusterRoles.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '../core/objects/object.ts'
import type { Cluster } from './cluster.ts'
import { storageKey } from './kinds/kind.ts'
import { typedObject } from './kinds/typed.ts'
import { matchesLabels, structuredSelector } from './storage/selectors.ts'
import { nowText } from './time.ts'
import { canonicalJson, fieldsAt, isMap, type JsonMap, listAt, sameJson } from './value.ts'
import { writeAs } from './verbs/internal.ts'
import { preparedForCreate } from './verbs/strategy.ts'

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

const roles = (): JsonMap[] =>
  readFileSync(join(import.meta.dirname, 'authorization', 'bootstrap.ndjson'), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as JsonMap)

/** Creates the object unless an object with its name exists. */
const ensure = ({ store, registry }: Cluster, value: JsonMap): void => {
  const kind = registry.named(String(value.apiVersion), String(value.kind))
  if (!kind) return
  const typed = typedObject(kind, value, [])
  const { name, namespace = '' } = typed.metadata
  const key = storageKey(kind, namespace, name)
  if (store.get(kind.collection, key)) return
  const metadata = { ...typed.metadata, uid: randomUUID(), creationTimestamp: nowText() }
  store.write(kind.collection, key, preparedForCreate({ ...typed, metadata } as KubeObject, kind))
}

const own = (name: string, namespace?: string): JsonMap => ({
  name,
  ...(namespace && { namespace }),
  labels: { component: 'apiserver', provider: 'kubernetes' },
})

const apiService = (host: string, port: number): JsonMap[] => [
  {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: own('kubernetes', 'default'),
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }] },
  },
  {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: [{ ip: host }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  },
]

const critical = (scope: string, value: number, description: string): JsonMap => ({
  kind: 'PriorityClass',
  apiVersion: 'scheduling.k8s.io/v1',
  metadata: { name: `system-${scope}-critical` },
  value,
  description: `Used for system critical pods that ${description}`,
})

const priorities: readonly JsonMap[] = [
  critical('cluster', 2_000_000_000, 'must run in the cluster, but can be moved to another node if necessary.'),
  critical('node', 2_000_001_000, 'must not be moved from their current node.'),
]

export const bootstrap = (cluster: Cluster, host: string, port: number): void => {
  for (const name of namespaces) ensure(cluster, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
  for (const role of roles()) ensure(cluster, role)
  for (const object of priorities) ensure(cluster, object)
  for (const object of apiService(host, port)) keep(cluster, object)
}

/** Creates the object, or updates the object of an earlier run, because its address may have changed. */
const keep = (cluster: Cluster, value: JsonMap): void => {
  ensure(cluster, value)
  const { registry, store } = cluster
  const kind = registry.named(String(value.apiVersion), String(value.kind))
  const { namespace, name } = fieldsAt(value, 'metadata') ?? {}
  const found = kind && store.get(kind.collection, `${namespace}/${name}`)?.object
  if (!found) return
  const { apiVersion: _, kind: __, metadata: ___, ...content } = value
  const next = typedObject(kind, { ...found, ...withKeptFields(found, content) }, [])
  if (!sameJson(next, found)) store.write(kind.collection, `${namespace}/${name}`, next)
}

const withKeptFields = (found: KubeObject, content: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(content).map(([field, wanted]) => {
      const before = found[field]
      return [field, isMap(wanted) && isMap(before) ? { ...before, ...wanted } : wanted]
    }),
  )

/** Creates the default objects of every namespace, and creates them again after a deletion. Skips namespaces in deletion. */
export const keepNamespaceContents = (cluster: Cluster, caCert: string): void => {
  cluster.store.onChange(({ collection, stored, type }) => {
    const { name, namespace } = stored.object.metadata
    const isOurs = type === 'DELETED' && (collection === 'serviceaccounts' || collection === 'configmaps')
    const place = collection === 'namespaces' && type !== 'DELETED' ? name : isOurs ? namespace : undefined
    if (place) cluster.chores.add(`contents of ${place}`, () => fillNamespace(cluster, place, caCert))
  })
}

const caNote =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

const fillNamespace = (cluster: Cluster, namespace: string, caCert: string): void => {
  const found = cluster.store.get('namespaces', namespace)?.object
  if (!found || found.metadata.deletionTimestamp) return
  ensure(cluster, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default', namespace } })
  ensure(cluster, {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'kube-root-ca.crt', namespace, annotations: { 'kubernetes.io/description': caNote } },
    data: { 'ca.crt': caCert },
  })
}

const collection = 'rbac.authorization.k8s.io/clusterroles'

export const aggregateRoles = (cluster: Cluster): void => {
  cluster.store.onChange(change => {
    if (change.collection === collection) cluster.chores.add('aggregated roles', () => aggregate(cluster))
  })
}

const aggregate = (cluster: Cluster): void => {
  const kind = cluster.registry.named('rbac.authorization.k8s.io/v1', 'ClusterRole')
  const roles = cluster.store.objects(collection)
  for (const role of roles) {
    const rules = kind && aggregatedRules(role, roles)
    if (kind && rules && !sameJson(rules, role.rules))
      writeAs(cluster, kind, { ...role, rules }, { manager: 'clusterrole-aggregation-controller' })
  }
}

const aggregatedRules = (role: KubeObject, roles: readonly KubeObject[]): unknown[] | undefined => {
  const selectors = listAt(role, 'aggregationRule', 'clusterRoleSelectors')
  if (selectors.length === 0) return undefined
  const rules = selectors.flatMap(selector => {
    const requirements = structuredSelector(selector) ?? []
    return roles
      .filter(each => each !== role && matchesLabels(requirements, each.metadata.labels))
      .flatMap(each => listAt(each, 'rules'))
  })
  return [...new Map(rules.map(rule => [canonicalJson(rule), rule])).values()]
}
