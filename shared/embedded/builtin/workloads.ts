// Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob: their defaults, and fields that cannot change.
import type { KubeObject } from '../../core/objects/object.ts'
import { type FieldFault, faultsIn, forbiddenField, immutable, invalidValue, required } from '../status.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import { fieldsAt, type JsonMap, mapsAt, sameJson } from '../value.ts'
import { podSpecFaults, podTemplateDefaultsIn } from './pods.ts'
import { defaultsAt, ensured, fill, type Traits } from './trait.ts'

const templateDefaults = podTemplateDefaultsIn('template')

const deploymentDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  templateDefaults(spec)
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
  rollingDefaults(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' })
}

const rollingDefaults = (spec: JsonMap, field: string, defaults: JsonMap): void => {
  const strategy = ensured(spec, field)
  fill(strategy, { type: 'RollingUpdate' })
  if (strategy.type === 'RollingUpdate') fill(ensured(strategy, 'rollingUpdate'), defaults)
}

const replicaSetDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  templateDefaults(spec)
  fill(spec, { replicas: 1 })
}

const statefulSetRows = defaultsAt({
  'spec!': { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' },
  'spec.persistentVolumeClaimRetentionPolicy!': { whenDeleted: 'Retain', whenScaled: 'Retain' },
  'spec.volumeClaimTemplates[]': { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  'spec.volumeClaimTemplates[].spec!': { volumeMode: 'Filesystem' },
  'spec.volumeClaimTemplates[].status!': { phase: 'Pending' },
})

const statefulSetDefaults = (draft: KubeObject): void => {
  statefulSetRows(draft)
  const spec = ensured(draft, 'spec')
  templateDefaults(spec)
  rollingDefaults(spec, 'updateStrategy', { partition: 0 })
}

const daemonSetDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  templateDefaults(spec)
  fill(spec, { revisionHistoryLimit: 10 })
  const { annotations } = draft.metadata
  if (!annotations?.[templateGeneration]) draft.metadata.annotations = { ...annotations, [templateGeneration]: '1' }
  rollingDefaults(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 })
}

const jobSpecDefaults = (spec: JsonMap): void => {
  templateDefaults(spec)
  fill(spec, { completionMode: 'NonIndexed', suspend: false, manualSelector: false })
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  fill(spec, { parallelism: 1, backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : unlimited })
  const failurePolicy = fieldsAt(spec, 'podFailurePolicy')
  fill(spec, { podReplacementPolicy: failurePolicy ? 'Failed' : 'TerminatingOrFailed' })
  for (const rule of mapsAt(failurePolicy, 'rules'))
    for (const condition of mapsAt(rule, 'onPodConditions')) if (!condition.status) condition.status = 'True'
}

/** The limit of failures if failures are counted per index: the total is unlimited. */
const unlimited = 2 ** 31 - 1

const jobOnCreate = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  if (spec.manualSelector === true || !draft.metadata.uid) return
  const { uid, name } = draft.metadata
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
  fill(spec, { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } } })
  const metadata = ensured(ensured(spec, 'template'), 'metadata')
  metadata.labels = { ...fieldsAt(metadata, 'labels'), ...labels }
  draft.metadata.labels ??= { ...fieldsAt(metadata, 'labels') } as Record<string, string>
}

const templateGeneration = 'deprecated.daemonset.template.generation'

const cronJobDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  fill(spec, { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 })
  templateDefaults(ensured(ensured(spec, 'jobTemplate'), 'spec'))
}

const templateFaults = (object: KubeObject): FieldFault[] => {
  const labels = fieldsAt(object, 'spec', 'template', 'metadata', 'labels') as Record<string, string> | undefined
  const selector = structuredSelector(fieldsAt(object, 'spec', 'selector'))
  const isSelected = selector !== undefined && (selector.length === 0 || matchesLabels(selector, labels))
  const path = 'spec.template.metadata.labels'
  const replicas = fieldsAt(object, 'spec')?.replicas
  return faultsIn(
    typeof replicas === 'number' &&
      replicas < 0 &&
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    !selector && required('spec.selector'),
    selector?.length === 0 && invalidValue('spec.selector', {}, 'empty selector is invalid for deployment'),
    !isSelected && invalidValue(path, labels ?? null, '`selector` does not match template `labels`'),
    podSpecFaults(fieldsAt(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
  )
}

const fixed =
  (...fields: string[]) =>
  (object: KubeObject, before: KubeObject): FieldFault[] =>
    fields
      .filter(field => !sameJson(fieldsAt(object, 'spec')?.[field], fieldsAt(before, 'spec')?.[field]))
      .map(field => immutable(`spec.${field}`, fieldsAt(object, 'spec')?.[field]))

const statefulFixed = ['serviceName', 'selector', 'podManagementPolicy', 'volumeClaimTemplates']
const statefulNote =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

const jobFaults = (object: KubeObject): FieldFault[] => {
  const path = 'spec.template.spec'
  const template = fieldsAt(object, 'spec', 'template', 'spec')
  const isEndless = template?.restartPolicy === 'Always'
  return faultsIn(
    podSpecFaults(template, path),
    isEndless && required(`${path}.restartPolicy`, 'valid values: "OnFailure", "Never"'),
  )
}

const scheduleFaults = (schedule: unknown): FieldFault[] => {
  const text = String(schedule ?? '').trim()
  if (text === '') return [required('spec.schedule')]
  const fields = text.split(/\s+/)
  if (text.startsWith('@') || fields.length === 5) return []
  return [
    invalidValue('spec.schedule', text, `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`),
  ]
}

const jobUpdateFaults = (object: KubeObject, before: KubeObject): FieldFault[] => {
  const template = fieldsAt(before, 'spec')?.suspend === true ? [] : ['template']
  return fixed('completions', 'selector', ...template, 'completionMode')(object, before)
}

const replicated: Traits = { faults: templateFaults, updateFaults: fixed('selector'), generationOf: ['spec'] }

export const deploymentTraits: Traits = { ...replicated, defaults: deploymentDefaults }
export const replicaSetTraits: Traits = { ...replicated, defaults: replicaSetDefaults }
export const daemonSetTraits: Traits = { ...replicated, defaults: daemonSetDefaults }
export const statefulSetTraits: Traits = {
  ...replicated,
  defaults: statefulSetDefaults,
  updateFaults: (object, before) =>
    fixed(...statefulFixed)(object, before).length ? [forbiddenField('spec', statefulNote)] : [],
}

export const jobTraits: Traits = {
  defaults: draft => jobSpecDefaults(ensured(draft, 'spec')),
  onCreate: jobOnCreate,
  faults: jobFaults,
  updateFaults: jobUpdateFaults,
  generationOf: ['spec'],
}

export const cronJobTraits: Traits = {
  defaults: cronJobDefaults,
  faults: object => scheduleFaults(fieldsAt(object, 'spec')?.schedule),
  generationOf: ['spec'],
}
