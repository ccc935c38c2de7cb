// Checks that Etcds, Deployments and StatefulSets exist and are healthy. Each kind has an ordered table of faults.
import { type Check, checks } from '../../../shared/core/decisions/checks.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type HealthFault, type Workloads, workloadsMissing, workloadUnhealthy } from '../reasons.ts'

type Condition = { type: string; status: string; reason?: string; message?: string }

type LastError = { code?: string; description?: string; observedAt?: string }

type Workload = KubeObject & {
  spec?: { replicas?: number }
  status?: {
    observedGeneration?: number
    readyReplicas?: number
    ready?: boolean
    conditions?: readonly Condition[]
    lastErrors?: readonly LastError[]
  }
}

type Ailment = Check<[Workload], string>

/** Why a workload is not healthy. undefined: the workload is healthy. */
type Diagnosis = (workload: Workload) => string | undefined

export type WorkloadKind = Workloads & { readonly ailmentOf: Diagnosis }

const outdated: Ailment = ({ metadata: { generation = 0 }, status }) =>
  (status?.observedGeneration ?? 0) < generation
    ? `observed generation outdated (${status?.observedGeneration ?? 0}/${generation})`
    : undefined

/** An existing condition must have this status. A required condition must exist. */
const condition =
  (type: string, { wanted, isRequired }: { wanted: string; isRequired?: true }): Ailment =>
  ({ status }) => {
    const found = status?.conditions?.find(one => one.type === type)
    if (!found) return isRequired ? `condition "${type}" is missing` : undefined
    const { status: is, reason = '', message = '' } = found
    return is === wanted
      ? undefined
      : `condition "${type}" has invalid status ${is} (expected ${wanted}) due to ${reason}: ${message}`
  }

const notReady: Ailment = ({ metadata, status }) =>
  status?.ready === true ? undefined : `etcd "${metadata.name}" is not ready yet`

const backupNotReady: Ailment = ({ metadata, status }) => {
  const backup = status?.conditions?.find(({ type }) => type === 'BackupReady')
  return backup === undefined || backup.status === 'True'
    ? undefined
    : `backup for etcd "${metadata.name}" is reported as unready: ${backup.message ?? ''}`
}

/** Adds the last errors to the fault of an Etcd. Errors without a fault do not count. */
const withLastErrors =
  (ailmentOf: Diagnosis): Diagnosis =>
  workload => {
    const because = ailmentOf(workload)
    const errors = workload.status?.lastErrors ?? []
    return because === undefined || errors.length === 0 ? because : `${because} (${errorsText(errors)})`
  }

/** Formats the errors as Go prints a list of structs. */
const errorsText = (errors: readonly LastError[]): string =>
  `[${errors.map(({ code = '', description = '', observedAt }) => `{Code:${code} Description:${description} ObservedAt:${timeText(observedAt)}}`).join(' ')}]`

const timeText = (time = ''): string => {
  const date = new Date(time)
  const text = Number.isNaN(date.getTime()) ? '0001-01-01T00:00:00' : date.toISOString().slice(0, 19)
  return `${text.replace('T', ' ')} +0000 UTC`
}

const replicasLacking: Ailment = ({ spec, status }) => {
  const [ready, wanted] = [status?.readyReplicas ?? 0, spec?.replicas ?? 1]
  return ready < wanted ? `not enough ready replicas (${ready}/${wanted})` : undefined
}

export const etcds: WorkloadKind = {
  prefix: 'Etcd',
  plural: 'etcds',
  singular: 'Etcd extension resource',
  ailmentOf: withLastErrors(checks(notReady, backupNotReady)),
}

export const deployments: WorkloadKind = {
  prefix: 'Deployment',
  plural: 'deployments',
  singular: 'Deployment',
  ailmentOf: checks(
    outdated,
    condition('Available', { wanted: 'True', isRequired: true }),
    condition('Progressing', { wanted: 'True' }),
    condition('ReplicaFailure', { wanted: 'False' }),
  ),
}

export const statefulSets: WorkloadKind = {
  prefix: 'StatefulSet',
  plural: 'stateful sets',
  singular: 'Stateful set',
  ailmentOf: checks(outdated, replicasLacking),
}

/** Names all missing workloads. If no workload is missing, names the first workload that is not healthy. */
export const workloadFault = (
  kind: WorkloadKind,
  { names, stored }: { names: readonly string[]; stored: readonly KubeObject[] },
): HealthFault | undefined => {
  const byName = new Map(stored.map(one => [one.metadata.name, one as Workload]))
  const sorted = names.toSorted()
  const missing = sorted.filter(name => !byName.has(name))
  if (missing.length > 0) return workloadsMissing(kind, missing)
  const ailing = sorted.flatMap(name => {
    const workload = byName.get(name)
    const because = workload && kind.ailmentOf(workload)
    return because === undefined ? [] : [workloadUnhealthy(kind, name, because)]
  })
  return ailing[0]
}
