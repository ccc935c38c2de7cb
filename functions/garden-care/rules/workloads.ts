// Whether the Etcds, Deployments and StatefulSets of a list are there and well: per kind an ordered table of what ails one.
import type { KubeObject } from '../../../shared/core/object.ts'
import { type Fault, type Workloads, workloadsMissing, workloadUnhealthy } from '../reasons.ts'

type Condition = { type: string; status: string; reason?: string; message?: string }

type Workload = KubeObject & {
  spec?: { replicas?: number }
  status?: {
    observedGeneration?: number
    readyReplicas?: number
    ready?: boolean
    conditions?: readonly Condition[]
    lastErrors?: readonly { code?: string; description?: string }[]
  }
}

/** Why it is not well, if the row applies. */
type Ailment = (workload: Workload) => string | undefined

export type WorkloadKind = Workloads & { readonly ailments: readonly Ailment[] }

const outdated: Ailment = ({ metadata: { generation = 0 }, status }) =>
  (status?.observedGeneration ?? 0) < generation
    ? `observed generation outdated (${status?.observedGeneration ?? 0}/${generation})`
    : undefined

/** A condition that is there must have this status; one that must be there may not be absent either. */
const condition =
  (type: string, { wanted, isRequired }: { wanted: string; isRequired?: true }): Ailment =>
  ({ status }) => {
    const found = status?.conditions?.find(one => one.type === type)
    if (!found) return isRequired ? `condition "${type}" is missing` : undefined
    if (found.status === wanted) return undefined
    return `condition "${type}" is ${found.status}, not ${wanted}: ${[found.reason, found.message].filter(Boolean).join(': ')}`
  }

const operationPending: Ailment = ({ metadata }) => {
  const operation = metadata.annotations?.['gardener.cloud/operation']
  return operation === undefined ? undefined : `operation "${operation}" is not taken up yet`
}

const erring: Ailment = ({ status }) => {
  const [error] = status?.lastErrors ?? []
  return error && [error.code, error.description].filter(Boolean).join(': ')
}

const backupFailing: Ailment = ({ status }) => {
  const backup = status?.conditions?.find(({ type }) => type === 'BackupReady')
  return backup?.status === 'False' ? `backup is not ready: ${backup.message ?? backup.reason ?? ''}` : undefined
}

const notReady: Ailment = ({ status }) => (status?.ready === true ? undefined : 'is not ready yet')

const replicasLacking: Ailment = ({ spec, status }) => {
  const [ready, wanted] = [status?.readyReplicas ?? 0, spec?.replicas ?? 1]
  return ready < wanted ? `not enough ready replicas (${ready}/${wanted})` : undefined
}

export const etcds: WorkloadKind = {
  prefix: 'Etcd',
  plural: 'etcds',
  singular: 'Etcd extension resource',
  ailments: [operationPending, outdated, erring, backupFailing, notReady],
}

export const deployments: WorkloadKind = {
  prefix: 'Deployment',
  plural: 'deployments',
  singular: 'Deployment',
  ailments: [
    outdated,
    condition('Available', { wanted: 'True', isRequired: true }),
    condition('Progressing', { wanted: 'True' }),
    condition('ReplicaFailure', { wanted: 'False' }),
  ],
}

export const statefulSets: WorkloadKind = {
  prefix: 'StatefulSet',
  plural: 'stateful sets',
  singular: 'Stateful set',
  ailments: [outdated, replicasLacking],
}

/** Those that are missing, else the first that is not well. */
export const workloadFault = (
  kind: WorkloadKind,
  { names, stored }: { names: readonly string[]; stored: readonly KubeObject[] },
): Fault | undefined => {
  const byName = new Map(stored.map(one => [one.metadata.name, one as Workload]))
  const missing = names.filter(name => !byName.has(name))
  if (missing.length > 0) return workloadsMissing(kind, missing)
  const ailing = names.flatMap(name => {
    const workload = byName.get(name)
    const because = workload && firstAilment(kind, workload)
    return because === undefined ? [] : [workloadUnhealthy(kind, name, because)]
  })
  return ailing[0]
}

const firstAilment = ({ ailments }: WorkloadKind, workload: Workload): string | undefined => {
  for (const ailment of ailments) {
    const because = ailment(workload)
    if (because !== undefined) return because
  }
  return undefined
}
