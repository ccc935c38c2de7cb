// Pod and pod templates: their many defaults, the fields that may change, quality of service.
import type { KubeObject } from '../../core/objects/object.ts'
import { duplicate, forbiddenField, invalidValue, required, unsupported } from '../faults.ts'
import { labelNameFaults } from '../names.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, isMap, type JsonMap, sameJson } from '../value.ts'
import { each, ensured, inner, orElse } from './draft.ts'
import type { Traits } from './trait.ts'

const podSpecDefaults = (spec: JsonMap): void => {
  for (const field of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const container of each(spec, field)) containerDefaults(container)
  orElse(spec, 'restartPolicy', 'Always')
  orElse(spec, 'terminationGracePeriodSeconds', 30)
  orElse(spec, 'dnsPolicy', 'ClusterFirst')
  orElse(spec, 'securityContext', {})
  orElse(spec, 'schedulerName', 'default-scheduler')
  if (spec.serviceAccountName) orElse(spec, 'serviceAccount', spec.serviceAccountName)
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount
  for (const volume of each(spec, 'volumes')) volumeDefaults(volume)
}

const containerDefaults = (container: JsonMap): void => {
  orElse(container, 'terminationMessagePath', '/dev/termination-log')
  orElse(container, 'terminationMessagePolicy', 'File')
  if (container.image)
    orElse(container, 'imagePullPolicy', isLatest(String(container.image)) ? 'Always' : 'IfNotPresent')
  for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe']) probeDefaults(inner(container, field))
  for (const moment of ['postStart', 'preStop']) httpDefaults(inner(inner(container, 'lifecycle'), moment))
  for (const variable of each(container, 'env')) fieldRefDefaults(inner(variable, 'valueFrom'))
}

const isLatest = (image: string): boolean => {
  if (image.includes('@')) return false
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest'
}

const probeDefaults = (probe: JsonMap | undefined): void => {
  if (!probe) return
  orElse(probe, 'timeoutSeconds', 1)
  orElse(probe, 'periodSeconds', 10)
  orElse(probe, 'successThreshold', 1)
  orElse(probe, 'failureThreshold', 3)
  httpDefaults(probe)
}

const httpDefaults = (asking: JsonMap | undefined): void => {
  const http = inner(asking, 'httpGet')
  if (!http) return
  orElse(http, 'path', '/')
  orElse(http, 'scheme', 'HTTP')
}

const fieldRefDefaults = (source: JsonMap | undefined): void => {
  const field = inner(source, 'fieldRef')
  if (field) orElse(field, 'apiVersion', 'v1')
  const resource = inner(source, 'resourceFieldRef')
  if (resource) orElse(resource, 'divisor', '0')
}

const requestsFromLimits = (resources: JsonMap | undefined): void => {
  const limits = inner(resources, 'limits')
  if (resources && limits) resources.requests = { ...limits, ...inner(resources, 'requests') }
}

const modes: readonly [source: string, field: string][] = [
  ['secret', 'defaultMode'],
  ['configMap', 'defaultMode'],
  ['downwardAPI', 'defaultMode'],
  ['projected', 'defaultMode'],
]

const volumeDefaults = (volume: JsonMap): void => {
  if (Object.keys(volume).length === 1) volume.emptyDir = {}
  for (const [source, field] of modes) {
    const found = inner(volume, source)
    if (found) orElse(found, field, 420)
  }
  for (const source of each(inner(volume, 'projected'), 'sources')) {
    const token = inner(source, 'serviceAccountToken')
    if (token) orElse(token, 'expirationSeconds', 3600)
    for (const item of each(inner(source, 'downwardAPI'), 'items')) fieldRefDefaults(item)
  }
  for (const item of each(inner(volume, 'downwardAPI'), 'items')) fieldRefDefaults(item)
  hostPathDefaults(volume)
  const claim = inner(inner(inner(volume, 'ephemeral'), 'volumeClaimTemplate'), 'spec')
  if (claim) orElse(claim, 'volumeMode', 'Filesystem')
}

/** Of a Pod's volume or a PersistentVolume. */
export const hostPathDefaults = (source: JsonMap): void => {
  const host = inner(source, 'hostPath')
  if (host) orElse(host, 'type', '')
}

/** Defaults for the template in a field of the draft. */
export const podTemplateDefaultsIn =
  (field: string) =>
  (draft: JsonMap): void =>
    podSpecDefaults(ensured(ensured(draft, field), 'spec'))

const defaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  podSpecDefaults(spec)
  orElse(spec, 'enableServiceLinks', true)
  // Not in templates: what a Pod asks for when it only says its limits is decided for each Pod.
  for (const container of containersOf(spec)) {
    requestsFromLimits(inner(container, 'resources'))
    if (spec.hostNetwork === true) for (const port of each(container, 'ports')) hostPortDefaults(port)
  }
}

const containersOf = (spec: JsonMap): JsonMap[] => [...each(spec, 'initContainers'), ...each(spec, 'containers')]

const hostPortDefaults = (port: JsonMap): void => {
  if (!port.hostPort) port.hostPort = port.containerPort
}

const tolerated = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** Admission adds to a Pod a priority and tolerations of nodes that are not ready. */
const admissionDefaults = (spec: JsonMap): void => {
  orElse(spec, 'priority', 0)
  orElse(spec, 'preemptionPolicy', 'PreemptLowerPriority')
  const known = each(spec, 'tolerations')
  const missing = tolerated.filter(
    key =>
      !known.some(
        each => (each.key === key || each.key === undefined) && (!each.effect || each.effect === 'NoExecute'),
      ),
  )
  const added = missing.map(key => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  if (added.length) spec.tolerations = [...known, ...added]
}

const onCreate = (draft: KubeObject): void => {
  admissionDefaults(ensured(draft, 'spec'))
  draft.status = { phase: 'Pending', qosClass: qualityOf(inner(draft, 'spec') ?? {}) }
}

const qualityOf = (spec: JsonMap): string => {
  const resources = [...each(spec, 'containers'), ...each(spec, 'initContainers')].map(container =>
    inner(container, 'resources'),
  )
  const sized = resources.map(each => ({
    requests: inner(each, 'requests') ?? {},
    limits: inner(each, 'limits') ?? {},
  }))
  if (sized.every(({ requests, limits }) => !hasSize(requests) && !hasSize(limits))) return 'BestEffort'
  const isGuaranteed = sized.every(({ requests, limits }) =>
    ['cpu', 'memory'].every(resource => limits[resource] !== undefined && limits[resource] === requests[resource]),
  )
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

const hasSize = (list: JsonMap): boolean => ['cpu', 'memory'].some(resource => resource in list)

const containerNameFaults = (name: unknown, path: string): FieldFault[] =>
  labelNameFaults(String(name)).map(why => invalidValue(`${path}.name`, name, why))

const repeatedNames = (containers: readonly JsonMap[], path: string): FieldFault[] =>
  containers
    .map(({ name }, index) => ({ name, index }))
    .filter(({ name, index }) => name && containers.findIndex(other => other.name === name) < index)
    .map(({ name, index }) => duplicate(`${path}[${index}].name`, name))

const containerFaults = (container: JsonMap, path: string): FieldFault[] => [
  ...(container.name ? containerNameFaults(container.name, path) : [required(`${path}.name`)]),
  ...(container.image ? [] : [required(`${path}.image`)]),
]

/** Faults of a pod's spec below a path, e.g. spec.template.spec. */
export const podSpecFaults = (spec: unknown, path: string): FieldFault[] => {
  if (!isMap(spec)) return [required(`${path}.containers`)]
  const containers = each(spec, 'containers')
  const policies = ['Always', 'OnFailure', 'Never']
  return [
    ...(containers.length ? [] : [required(`${path}.containers`)]),
    ...containers.flatMap((container, index) => containerFaults(container, `${path}.containers[${index}]`)),
    ...repeatedNames(containers, `${path}.containers`),
    ...each(spec, 'initContainers').flatMap((container, index) =>
      containerFaults(container, `${path}.initContainers[${index}]`),
    ),
    ...(policies.includes(String(spec.restartPolicy))
      ? []
      : [unsupported(`${path}.restartPolicy`, spec.restartPolicy, policies)]),
  ]
}

const fixedNote =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

const updateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  sameJson(fixedPart(object), fixedPart(before)) ? [] : [forbiddenField('spec', fixedNote)]

const fixedPart = (object: KubeObject): JsonMap => {
  const {
    activeDeadlineSeconds: _,
    tolerations: __,
    schedulingGates: ___,
    nodeName: ____,
    ...spec
  } = fieldsAt(object, 'spec') ?? {}
  const withoutImage = (field: string) => each(spec, field).map(({ image: _, ...rest }) => rest)
  return {
    ...spec,
    containers: withoutImage('containers'),
    initContainers: withoutImage('initContainers'),
    ephemeralContainers: [],
  }
}

export const podTraits: Traits = {
  defaults,
  onCreate,
  faults: object => podSpecFaults(object.spec, 'spec'),
  updateFaults,
  generationOf: ['spec'],
  answersDeleted: true,
  endsInTime: true,
}
