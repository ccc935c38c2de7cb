// Admission: the state of namespaces, service accounts of Pods, policies and the configured webhooks, in the API
// server's order. Nothing is created in a namespace that does not exist or is being deleted; three namespaces are never
// deleted. A Pod without a service account gets the default one, with a projected token.
import type { KubeObject } from '../../core/objects/object.ts'
import { randomSuffix } from '../names.ts'
import { chargeQuotas } from '../quota/charge.ts'
import { forbidden, notFound } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt } from '../value.ts'
import { type AdmissionParts, type Attributes, refusedName } from './attributes.ts'
import { mutatedByPolicies } from './policies/mutating.ts'
import { validateByPolicies } from './policies/validating.ts'
import { Webhooks } from './webhooks.ts'

export type Admission = {
  mutate(attributes: Attributes & { object: KubeObject }): Promise<KubeObject>
  validate(attributes: Attributes): Promise<void>
}

export const admission = (parts: AdmissionParts): Admission => {
  const webhooks = new Webhooks(parts)
  return {
    mutate: async attributes => {
      requireNamespace(parts.store, attributes)
      const object = withServiceAccount(parts.store, attributes)
      const first = mutatedByPolicies({ ...attributes, object }, parts)
      return webhooks.mutate(
        { ...attributes, object: first.object },
        object => mutatedByPolicies({ ...attributes, object }, parts, first.again).object,
      )
    },
    validate: async attributes => {
      refuseImmortal(attributes)
      validateByPolicies(attributes, parts)
      await webhooks.validate(attributes)
      chargeQuotas(attributes, parts)
    },
  }
}

const immortal = ['default', 'kube-system', 'kube-public']
const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' }

const requireNamespace = (store: Store, attributes: Attributes): void => {
  const { operation, kind, namespace, subresource } = attributes
  if (operation !== 'CREATE' || !kind.namespaced || subresource) return
  const found = store.get('namespaces', namespace)
  if (!found) throw notFound(namespaces, namespace)
  if (!found.object.metadata.deletionTimestamp) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  throw forbidden(kind, refusedName(attributes), why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}

const refuseImmortal = ({ operation, kind, name }: Attributes): void => {
  if (operation === 'DELETE' && kind.collection === 'namespaces' && immortal.includes(name))
    throw forbidden(namespaces, name, 'this namespace may not be deleted')
}

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

const withServiceAccount = (store: Store, attributes: Attributes & { object: KubeObject }): KubeObject => {
  const { operation, kind, object, namespace, subresource } = attributes
  if (operation !== 'CREATE' || kind.collection !== 'pods' || subresource) return object
  const spec = fieldsAt(object, 'spec') ?? {}
  const account = String(spec.serviceAccountName ?? 'default')
  const found = store.get('serviceaccounts', `${namespace}/${account}`)?.object
  if (!found)
    throw forbidden(
      kind,
      refusedName(attributes),
      `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
    )
  const named = { ...spec, serviceAccountName: account, serviceAccount: account }
  const mounts = spec.automountServiceAccountToken ?? found.automountServiceAccountToken ?? true
  return { ...object, spec: mounts && !hasToken(spec) ? withToken(named) : named }
}

const hasToken = (spec: JsonMap): boolean => {
  const mounts = mapsAt(spec, 'containers').map(container => listAt(container, 'volumeMounts'))
  return mounts.length > 0 && mounts.every(list => list.some(mount => isMap(mount) && mount.mountPath === mountPath))
}

const withToken = (spec: JsonMap): JsonMap => {
  const name = `kube-api-access-${randomSuffix()}`
  const mount = { name, readOnly: true, mountPath }
  const mounted = (containers: unknown[]) =>
    containers.filter(isMap).map(container => {
      const mounts = listAt(container, 'volumeMounts')
      const isMounted = mounts.some(each => isMap(each) && each.mountPath === mountPath)
      return isMounted ? container : { ...container, volumeMounts: [...mounts, mount] }
    })
  return {
    ...spec,
    volumes: [...listAt(spec, 'volumes'), tokenVolume(name)],
    containers: mounted(listAt(spec, 'containers')),
    ...(Array.isArray(spec.initContainers) && { initContainers: mounted(spec.initContainers) }),
  }
}

const tokenVolume = (name: string): JsonMap => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 420,
  },
})
