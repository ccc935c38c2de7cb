// Finds the path of a kind on one API server, with a cache per group and version. An unknown kind is requested again, because its CRD may
// just have been created. Kinds that every API server serves under the same path need no request.
import { mapOrEmpty, mapsIn } from '../core/json/json.ts'
import type { GroupVersionKind } from '../core/objects/object.ts'
import type { Outside } from './client-types.ts'
import { ApiError, isNotFound, KindNotServed, nothingIf } from './errors.ts'
import { KeyedReads } from './shared-reads.ts'

export type Discovery = {
  /** Returns a known kind at once, otherwise asks the API server. Rejects with KindNotServed. */
  find(kind: GroupVersionKind, fetch: Fetch): Resource | Promise<Resource>
  /** Always asks the API server. Rejects with KindNotServed. */
  findAgain(kind: GroupVersionKind, fetch: Fetch): Promise<Resource>
}

type Fetch = (path: string) => Promise<unknown>

type Served = ReadonlyMap<string, Resource>

export const discovery = (): Discovery => {
  const groupVersions = new Map<string, Served>()
  const reads = new KeyedReads()
  const findAgain = async (kind: GroupVersionKind, fetch: Fetch): Promise<Resource> => {
    const served = await reads.of({ key: kind.apiVersion, asked: undefined }, () => servedIn(kind.apiVersion, fetch))
    groupVersions.set(kind.apiVersion, served)
    const resource = served.get(kind.kind)
    if (!resource) throw new KindNotServed(kind)
    return resource
  }
  return {
    findAgain,
    find: (kind, fetch) =>
      groupVersions.get(kind.apiVersion)?.get(kind.kind) ?? builtInResource(kind) ?? findAgain(kind, fetch),
  }
}

/**
 * Calls `use` with the resource of a kind. If the API server does not know the path of the resource, for example because the CRD was
 * replaced, discovery runs again. Calls at the same time share a discovery, so waiting for the discovery of another call counts, too.
 */
export const withResource = async <T>(
  known: Discovery,
  { kind, fetch, outside = answer => answer }: { kind: GroupVersionKind; fetch: Fetch; outside?: Outside },
  use: (resource: Resource) => Promise<T>,
): Promise<T> => {
  const found = known.find(kind, fetch)
  const resource = found instanceof Promise ? await outside(found) : found
  try {
    return await use(resource)
  } catch (error) {
    if (!isPathNotServed(error)) throw error
    const again = await outside(known.findAgain(kind, fetch))
    if (isSame(again, resource)) throw new KindNotServed(kind)
    return use(again)
  }
}

/** A 404 for a missing object contains its name; a 404 for an unknown path does not. */
const isPathNotServed = (error: unknown): boolean =>
  error instanceof ApiError && isNotFound(error) && error.details.name === undefined

const isSame = (a: Resource, b: Resource): boolean => a.plural === b.plural && a.namespaced === b.namespaced

const servedIn = async (apiVersion: string, fetch: Fetch): Promise<Served> =>
  resourcesIn(apiVersion, await fetch(rootOf(apiVersion)).catch(nothingIf(isNotFound)))

/** Limits the memory for kinds. Real group versions have far fewer kinds. */
const kindsMost = 1_000
const isWord = (value: unknown): value is string => typeof value === 'string' && value.length <= 253

/** Reads a metav1.APIResourceList. Leaves out subresources (`pods/log`). */
const resourcesIn = (apiVersion: string, list: unknown): Served => {
  const resources = mapsIn(mapOrEmpty(list).resources)
  return new Map(
    resources
      .filter(({ name, kind }) => isWord(name) && isWord(kind) && !name.includes('/'))
      .slice(0, kindsMost)
      .map(({ kind, name, namespaced }) => [
        String(kind),
        { root: rootOf(apiVersion), plural: String(name), namespaced: namespaced === true },
      ]),
  )
}

/** The path of a kind: `<root>/namespaces/<namespace>/<plural>/<name>`. */
export type Resource = { readonly root: string; readonly plural: string; readonly namespaced: boolean }

type Plurals = Record<string, string>

const namespaced: Record<string, Plurals> = {
  v1: {
    ConfigMap: 'configmaps',
    Endpoints: 'endpoints',
    Event: 'events',
    LimitRange: 'limitranges',
    PersistentVolumeClaim: 'persistentvolumeclaims',
    Pod: 'pods',
    ResourceQuota: 'resourcequotas',
    Secret: 'secrets',
    Service: 'services',
    ServiceAccount: 'serviceaccounts',
  },
  'apps/v1': {
    DaemonSet: 'daemonsets',
    Deployment: 'deployments',
    ReplicaSet: 'replicasets',
    StatefulSet: 'statefulsets',
  },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
  'batch/v1': { CronJob: 'cronjobs', Job: 'jobs' },
  'coordination.k8s.io/v1': { Lease: 'leases' },
  'discovery.k8s.io/v1': { EndpointSlice: 'endpointslices' },
  'networking.k8s.io/v1': { Ingress: 'ingresses', NetworkPolicy: 'networkpolicies' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'rbac.authorization.k8s.io/v1': { Role: 'roles', RoleBinding: 'rolebindings' },
}

const clusterWide: Record<string, Plurals> = {
  v1: { Namespace: 'namespaces', Node: 'nodes', PersistentVolume: 'persistentvolumes' },
  'admissionregistration.k8s.io/v1': {
    MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
    ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  },
  'apiextensions.k8s.io/v1': { CustomResourceDefinition: 'customresourcedefinitions' },
  'apiregistration.k8s.io/v1': { APIService: 'apiservices' },
  'networking.k8s.io/v1': { IngressClass: 'ingressclasses' },
  'rbac.authorization.k8s.io/v1': { ClusterRole: 'clusterroles', ClusterRoleBinding: 'clusterrolebindings' },
  'scheduling.k8s.io/v1': { PriorityClass: 'priorityclasses' },
  'storage.k8s.io/v1': { StorageClass: 'storageclasses' },
}

/** `/api/v1` for the core group, `/apis/<group>/<version>` for other groups. */
export const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/` : `/api/`) + apiVersion

const rows = (table: Record<string, Plurals>, isNamespaced: boolean): [string, Resource][] =>
  Object.entries(table).flatMap(([apiVersion, plurals]) =>
    Object.entries(plurals).map(([kind, plural]): [string, Resource] => [
      keyOf({ apiVersion, kind }),
      { root: rootOf(apiVersion), plural, namespaced: isNamespaced },
    ]),
  )

const keyOf = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion} ${kind}`

const builtIn: ReadonlyMap<string, Resource> = new Map([...rows(namespaced, true), ...rows(clusterWide, false)])

const builtInResource = (kind: GroupVersionKind): Resource | undefined => builtIn.get(keyOf(kind))
