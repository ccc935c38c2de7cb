// Pods run as a service account: the default one unless they name another, with a projected token.
import type { KubeObject } from '../../core/objects/object.ts'
import { randomSuffix } from '../names.ts'
import { forbidden } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt } from '../value.ts'
import { type Attributes, refusedName } from './attributes.ts'

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

export const withServiceAccount = (store: Store, attributes: Attributes & { object: KubeObject }): KubeObject => {
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
