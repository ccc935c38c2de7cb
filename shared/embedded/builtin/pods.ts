// Pods and Pod templates: their defaults, the fields that can change, quality of service.
import type { KubeObject } from '../../core/objects/object.ts'
import { labelNameFaults } from '../names.ts'
import { duplicate, type FieldFault, faultsIn, forbiddenField, invalidValue, required, unlisted } from '../status.ts'
import { fieldsAt, isMap, type JsonMap, mapsAt, sameJson } from '../value.ts'
import { defaultsAt, ensured, fill, type Traits } from './trait.ts'

const ofField = (path: string): Readonly<Record<string, JsonMap>> => ({
  [`${path}.fieldRef`]: { apiVersion: 'v1' },
  [`${path}.resourceFieldRef`]: { divisor: '0' },
})

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe']
const probing = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }
const handlers = [...probes, 'lifecycle.postStart', 'lifecycle.preStop']

const containerLists = ['initContainers', 'containers', 'ephemeralContainers']

const ofContainers = (list: string): Readonly<Record<string, JsonMap>> => ({
  [`${list}[]`]: { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
  ...Object.fromEntries(probes.map(probe => [`${list}[].${probe}`, probing])),
  ...Object.fromEntries(handlers.map(handler => [`${list}[].${handler}.httpGet`, { path: '/', scheme: 'HTTP' }])),
  ...ofField(`${list}[].env[].valueFrom`),
})

const rows = defaultsAt({
  '': {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
  ...Object.assign({}, ...containerLists.map(ofContainers)),
  ...Object.fromEntries(
    ['secret', 'configMap', 'downwardAPI', 'projected'].map(source => [`volumes[].${source}`, { defaultMode: 420 }]),
  ),
  'volumes[].projected.sources[].serviceAccountToken': { expirationSeconds: 3600 },
  ...ofField('volumes[].projected.sources[].downwardAPI.items[]'),
  ...ofField('volumes[].downwardAPI.items[]'),
  'volumes[].hostPath': { type: '' },
  'volumes[].ephemeral.volumeClaimTemplate.spec': { volumeMode: 'Filesystem' },
})

const podSpecDefaults = (spec: JsonMap): void => {
  rows(spec)
  for (const container of containerLists.flatMap(list => mapsAt(spec, list)))
    if (container.image)
      fill(container, { imagePullPolicy: isLatest(String(container.image)) ? 'Always' : 'IfNotPresent' })
  if (spec.serviceAccountName) fill(spec, { serviceAccount: spec.serviceAccountName })
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount
  for (const volume of mapsAt(spec, 'volumes')) if (Object.keys(volume).length === 1) volume.emptyDir = {}
}

const isLatest = (image: string): boolean => {
  if (image.includes('@')) return false
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest'
}

const requestsFromLimits = (resources: JsonMap | undefined): void => {
  const limits = fieldsAt(resources, 'limits')
  if (resources && limits) resources.requests = { ...limits, ...fieldsAt(resources, 'requests') }
}

export const podTemplateDefaultsIn =
  (field: string) =>
  (draft: JsonMap): void =>
    podSpecDefaults(ensured(ensured(draft, field), 'spec'))

const defaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  podSpecDefaults(spec)
  fill(spec, { enableServiceLinks: true })
  // In Pods, requests default to limits, but not in templates.
  for (const container of containersOf(spec)) {
    requestsFromLimits(fieldsAt(container, 'resources'))
    if (spec.hostNetwork === true) for (const port of mapsAt(container, 'ports')) port.hostPort ||= port.containerPort
  }
}

const containersOf = (spec: JsonMap): JsonMap[] => [...mapsAt(spec, 'initContainers'), ...mapsAt(spec, 'containers')]

const tolerated = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** The defaults from admission: a priority, and tolerations for nodes that are not ready. */
const admissionDefaults = (spec: JsonMap): void => {
  fill(spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
  const known = mapsAt(spec, 'tolerations')
  const isTolerated = (key: string) =>
    known.some(each => (each.key === key || each.key === undefined) && (!each.effect || each.effect === 'NoExecute'))
  const missing = tolerated.filter(key => !isTolerated(key))
  const added = missing.map(key => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  if (added.length) spec.tolerations = [...known, ...added]
}

const onCreate = (draft: KubeObject): void => {
  admissionDefaults(ensured(draft, 'spec'))
  draft.status = { phase: 'Pending', qosClass: qualityOf(fieldsAt(draft, 'spec') ?? {}) }
}

const qualityOf = (spec: JsonMap): string => {
  const sized = containersOf(spec)
    .map(container => fieldsAt(container, 'resources'))
    .map(each => ({ requests: fieldsAt(each, 'requests') ?? {}, limits: fieldsAt(each, 'limits') ?? {} }))
  if (sized.every(({ requests, limits }) => !hasSize(requests) && !hasSize(limits))) return 'BestEffort'
  const isGuaranteed = sized.every(({ requests, limits }) =>
    ['cpu', 'memory'].every(resource => limits[resource] !== undefined && limits[resource] === requests[resource]),
  )
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

const hasSize = (list: JsonMap): boolean => ['cpu', 'memory'].some(resource => resource in list)

const repeatedNames = (containers: readonly JsonMap[], path: string): FieldFault[] =>
  containers
    .map(({ name }, index) => ({ name, index }))
    .filter(({ name, index }) => name && containers.findIndex(other => other.name === name) < index)
    .map(({ name, index }) => duplicate(`${path}[${index}].name`, name))

const containerFaults = ({ name, image }: JsonMap, path: string): FieldFault[] =>
  faultsIn(
    name ? labelNameFaults(String(name)).map(why => invalidValue(`${path}.name`, name, why)) : required(`${path}.name`),
    !image && required(`${path}.image`),
  )

export const podSpecFaults = (spec: unknown, path: string): FieldFault[] => {
  if (!isMap(spec)) return [required(`${path}.containers`)]
  const containers = mapsAt(spec, 'containers')
  const faultsOf = (field: string) =>
    mapsAt(spec, field).flatMap((container, index) => containerFaults(container, `${path}.${field}[${index}]`))
  return faultsIn(
    containers.length === 0 && required(`${path}.containers`),
    faultsOf('containers'),
    repeatedNames(containers, `${path}.containers`),
    faultsOf('initContainers'),
    unlisted(`${path}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
  )
}

const fixedNote =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

const fixedPart = (object: KubeObject): JsonMap => {
  const {
    activeDeadlineSeconds: _,
    tolerations: __,
    schedulingGates: ___,
    nodeName: ____,
    ...spec
  } = fieldsAt(object, 'spec') ?? {}
  const withoutImage = (field: string) => mapsAt(spec, field).map(({ image: _, ...rest }) => rest)
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
  updateFaults: (object, before) =>
    sameJson(fixedPart(object), fixedPart(before)) ? [] : [forbiddenField('spec', fixedNote)],
  generationOf: ['spec'],
  answersDeleted: true,
  endsInTime: true,
}
