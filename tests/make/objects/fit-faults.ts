// What of many objects does not fit together: a name of something that nobody makes, a selector that finds nothing, two who claim the
// same Pods.
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'

type All = { readonly applied: readonly KubeObject[]; readonly standing: readonly KubeObject[] }

export const fitFaults = (all: All): string[] => {
  const known = new Set(
    [...all.applied.flatMap(madeOf), ...all.standing, ...everywhere].map(object => refText(refOf(object))),
  )
  const missing = all.applied.flatMap(object =>
    namedBy(object)
      .filter(name => !known.has(name))
      .map(name => `${refText(refOf(object))}: names ${name}, which nobody makes`),
  )
  return [...missing, ...podsFaults(all), ...networkFaults(all)]
}

/** An operator makes a StatefulSet of an Etcd. */
const madeOf = (object: KubeObject): KubeObject[] =>
  object.kind === 'Etcd' ? [object, { ...object, apiVersion: 'apps/v1', kind: 'StatefulSet' }] : [object]

/** What an API server brings. */
const everywhere: readonly KubeObject[] = ['cluster-admin', 'system:kube-controller-manager'].map(name => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
}))

/** What an object names and cannot do without. */
const namedBy = (object: KubeObject): string[] => {
  const { kind, spec, metadata } = object
  const at = (named: string, name: unknown, namespace = metadata.namespace) =>
    name === undefined ? [] : [`${named} ${namespace === undefined ? '' : `${namespace}/`}${String(name)}`]
  const pod = mapOrEmpty(valueAt(spec, 'template', 'spec'))
  const target = mapOrEmpty(mapOrEmpty(spec).scaleTargetRef ?? mapOrEmpty(spec).targetRef)
  const role = mapOrEmpty(object.roleRef)
  const accounts = mapsIn(object.subjects).filter(subject => subject.kind === 'ServiceAccount')
  return [
    ...mapsIn(pod.volumes).flatMap(volume => filesOf(volume).flatMap(([named, name]) => at(named, name))),
    ...at('ServiceAccount', pod.serviceAccountName),
    ...(pod.priorityClassName === undefined ? [] : [`PriorityClass ${String(pod.priorityClassName)}`]),
    ...(target.kind === undefined ? [] : at(String(target.kind), target.name)),
    ...(role.kind === undefined
      ? []
      : [`${String(role.kind)} ${role.kind === 'Role' ? `${metadata.namespace}/` : ''}${String(role.name)}`]),
    ...accounts.flatMap(({ name, namespace }) =>
      namespace === 'kube-system' ? [] : at('ServiceAccount', name, String(namespace)),
    ),
    ...(kind === 'ManagedResource'
      ? mapsIn(mapOrEmpty(spec).secretRefs).flatMap(({ name }) => at('Secret', name))
      : []),
    ...(kind === 'Etcd'
      ? secretRefsIn(spec).flatMap(({ name, namespace }) => at('Secret', name, String(namespace)))
      : []),
    ...(kind === 'Ingress'
      ? [
          `IngressClass ${String(mapOrEmpty(spec).ingressClassName)}`,
          ...at('Secret', metadata.annotations?.['nginx.ingress.kubernetes.io/auth-secret']),
        ]
      : []),
    ...Object.entries({ ...metadata.annotations, ...templateAnnotations(object) }).flatMap(([key, name]) => {
      const [, named] = /^reference\.resources\.gardener\.cloud\/(secret|configmap)-/.exec(key) ?? []
      return named === undefined ? [] : at(named === 'secret' ? 'Secret' : 'ConfigMap', name)
    }),
    ...mapsIn(object.webhooks).flatMap(({ clientConfig }) => {
      const service = mapOrEmpty(mapOrEmpty(clientConfig).service)
      return service.name === undefined ? [] : at('Service', service.name, String(service.namespace))
    }),
  ]
}

const templateAnnotations = ({ spec }: KubeObject): Record<string, unknown> =>
  mapOrEmpty(valueAt(spec, 'template', 'metadata', 'annotations'))

/** What is optional, and what every namespace has, is not named. */
const filesOf = ({ secret, configMap, projected }: JsonMap): (readonly [string, unknown])[] => {
  const sources = [{ secret, configMap }, ...mapsIn(mapOrEmpty(projected).sources)]
  return sources.flatMap(source => {
    const [fromSecret, fromMap] = [mapOrEmpty(source.secret), mapOrEmpty(source.configMap)]
    return [
      ['Secret', fromSecret.optional === true ? undefined : (fromSecret.secretName ?? fromSecret.name)] as const,
      ['ConfigMap', fromMap.optional === true ? undefined : fromMap.name] as const,
    ].filter(([, name]) => name !== undefined && !inEveryNamespace.includes(String(name)))
  })
}

const inEveryNamespace = ['kube-root-ca.crt', 'istio-ca-root-cert']

const secretRefsIn = (value: unknown): JsonMap[] => {
  if (Array.isArray(value)) return value.flatMap(secretRefsIn)
  if (!isMap(value)) return []
  return Object.entries(value).flatMap(([key, below]) =>
    /SecretRef$|^secretRef$/.test(key) && isMap(below) ? [below] : secretRefsIn(below),
  )
}

type Pods = { readonly owner: string; readonly namespace: string; readonly labels: Readonly<Record<string, unknown>> }

/** Also of operators that make a workload of an object with these labels. */
const podsOf = (object: KubeObject): Pods[] => {
  const { kind, spec, metadata } = object
  const labels =
    kind === 'Etcd'
      ? mapOrEmpty(spec).labels
      : kind === 'FluentBit'
        ? metadata.labels
        : valueAt(spec, 'template', 'metadata', 'labels')
  const isWorkload = ['Deployment', 'StatefulSet', 'Etcd', 'FluentBit'].includes(kind)
  return isWorkload
    ? [{ owner: refText(refOf(object)), namespace: metadata.namespace ?? '', labels: mapOrEmpty(labels) }]
    : []
}

const selectorOf = ({ kind, spec }: KubeObject): Readonly<Record<string, unknown>> | undefined => {
  const { selector } = mapOrEmpty(spec)
  if (kind === 'Service') return selector === undefined ? undefined : mapOrEmpty(selector)
  return ['PodDisruptionBudget', 'Deployment', 'StatefulSet', 'Etcd'].includes(kind)
    ? mapOrEmpty(mapOrEmpty(selector).matchLabels)
    : undefined
}

/** Each selector finds the Pods of exactly one workload. */
const podsFaults = ({ applied }: All): string[] => {
  const pods = applied.flatMap(podsOf)
  return applied.flatMap(object => {
    const wanted = selectorOf(object)
    if (wanted === undefined) return []
    const owners = pods
      .filter(
        ({ namespace, labels }) =>
          namespace === object.metadata.namespace &&
          Object.entries(wanted).every(([key, value]) => labels[key] === value),
      )
      .map(({ owner }) => owner)
    return owners.length === 1 ? [] : [`${refText(refOf(object))}: selects Pods of ${owners.join(', ') || 'nobody'}`]
  })
}

/** What Pods may talk to: a policy, or a port of a Service that lets them. */
const networkFaults = ({ applied }: All): string[] => {
  const services = applied.flatMap(servicesOf)
  const allowed = new Set(services.map(({ namespace, name, port }) => `${namespace} ${name}-tcp-${port}`))
  const far = new Set(services.map(({ namespace, name, port }) => `${namespace}-${name}-tcp-${port}`))
  return applied.flatMap(podsOf).flatMap(({ owner, namespace, labels }) =>
    Object.keys(labels).flatMap(label => {
      const [, policy] = /^networking\.gardener\.cloud\/to-(.+)$/.exec(label) ?? []
      const [, service] = /^networking\.resources\.gardener\.cloud\/to-(.+)$/.exec(label) ?? []
      const isFine =
        (policy === undefined || policies.includes(policy)) &&
        (service === undefined ||
          service === 'all-webhook-targets' ||
          allowed.has(`${namespace} ${service}`) ||
          far.has(service))
      return isFine ? [] : [`${owner}: may talk to ${policy ?? service}, which is nothing`]
    }),
  )
}

const policies = ['dns', 'runtime-apiserver', 'public-networks', 'private-networks', 'blocked-cidrs']

const servicesOf = ({ kind, spec, metadata: { namespace = '', name } }: KubeObject) => {
  if (kind === 'Etcd') return [2379, 2380, 8080].map(port => ({ namespace, name: `${name}-client`, port }))
  if (kind !== 'Service') return []
  return mapsIn(mapOrEmpty(spec).ports).map(({ port, targetPort }) => ({ namespace, name, port: targetPort ?? port }))
}
