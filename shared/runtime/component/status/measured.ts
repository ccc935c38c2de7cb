// Metrics of components, with names and labels of component-operator-runtime.

import { itemsOf } from '../../../component/inventory/item.ts'
import { driftMetric } from '../../../component/reported/dependent-events.ts'
import { componentStates, type PassError } from '../../../component/reported/pass-result.ts'
import { type Measurement, type Metric, stateMeasurements } from '../../../core/decisions/measurement.ts'
import type { StepResult } from '../../../core/decisions/plan.ts'
import { apiVersionOf, type KubeObject } from '../../../core/objects/object.ts'
import { ApiError } from '../../../kube/errors.ts'
import type { SeenMetrics } from '../../definition.ts'
import type { EnginePlan } from '../decide.ts'
import type { Engine } from '../definition/engine.ts'
import type { EngineWorld } from '../world.ts'
import { statusAt } from './engine-status.ts'

const named = (name: string): string => `component_operator_runtime_${name}`
const ofObject = ['controller', 'group', 'kind', 'namespace', 'name']

const counters = [
  { name: named('reconcile_total'), labels: ['controller'], help: 'Passes over components' },
  {
    name: named('reconcile_errors_total'),
    labels: ['controller', 'type'],
    help: 'Passes that ended in an error, by HTTP code or `other`',
  },
  { name: named('requests_total'), labels: ['controller', 'method'], help: 'Requests of calls to API servers' },
  {
    name: named('operations_total'),
    labels: ['controller', 'action'],
    help: 'Dependents that were read, created, updated or deleted',
  },
]

export const passMetrics: readonly Metric[] = [
  ...counters.map(one => ({ ...one, type: 'counter' }) as const),
  driftMetric,
]

const count = (name: string, labels: Record<string, string>, add = 1): Measurement => ({
  metric: named(name),
  labels,
  add,
})

type Named = Pick<Engine, 'name'>

export const passBegun = ({ name: controller }: Named): Measurement => count('reconcile_total', { controller })

export const requestCounted = ({ name: controller }: Named, method: string): Measurement =>
  count('requests_total', { controller, method })

/** For an error that ended the pass before its report. */
export const passFailed = ({ name: controller }: Named, error: unknown): Measurement =>
  failed(controller, error instanceof ApiError ? error.code : undefined)

const failed = (controller: string, code: number | undefined): Measurement =>
  count('reconcile_errors_total', { controller, type: String(code ?? 'other') })

export const passMeasured = (world: EngineWorld, plan: EnginePlan, results: readonly StepResult[]): Measurement[] => {
  const controller = world.engine.name
  const read = world.stage === 'dependents' ? world.dependents.observed.live.size : 0
  const written = results.flatMap(({ step, changed }) => (changed && step.on ? (actions[step.do] ?? []) : []))
  const actionsTaken = [...Map.groupBy(written, action => action)].map(([action, all]) =>
    count('operations_total', { controller, action }, all.length),
  )
  return [
    ...(read > 0 ? [count('operations_total', { controller, action: 'read' }, read)] : []),
    ...actionsTaken,
    ...errorsIn(world, plan, results)
      .slice(0, 1)
      .map(code => failed(controller, code)),
  ]
}

const actions: Partial<Record<StepResult['step']['do'], string>> = {
  create: 'create',
  apply: 'update',
  replace: 'update',
  delete: 'delete',
}

/**
 * HTTP codes of the errors in a pass. Only the first counts, because it ends a pass in the Go runtime. A missing reference or a requested
 * retry is not an error.
 */
const errorsIn = (world: EngineWorld, plan: EnginePlan, results: readonly StepResult[]): (number | undefined)[] => {
  if (world.stage === 'stopped') return isExpected(world.error) ? [] : [codeOf(world.error)]
  const refused = results.flatMap(({ error }) => (error ? [error.code ?? (error.isConflict ? 409 : undefined)] : []))
  return [...refused, ...(plan.dependents?.errors ?? []).map(() => undefined)]
}

const isExpected = ({ is }: PassError): boolean => is === 'retriable' || is === 'missingReference'

const codeOf = (error: PassError): number | undefined => ('code' in error ? error.code : undefined)

const seenOf = [
  {
    name: named('component_state'),
    type: 'gauge',
    labels: [...ofObject, 'state'],
    help: 'Whether a component is in this state',
  },
  { name: named('dependents_total'), type: 'gauge', labels: ofObject, help: 'How many dependents a component has' },
  {
    name: named('unready_dependents_total'),
    type: 'gauge',
    labels: ofObject,
    help: 'How many of them are neither Ready nor Completed',
  },
  {
    name: named('created_clients_total'),
    type: 'counter',
    labels: ['controller'],
    help: 'Clients of this process for kubeconfigs since its start',
  },
  {
    name: named('active_clients_total'),
    type: 'gauge',
    labels: ['controller'],
    help: 'Clients for kubeconfigs that this process keeps',
  },
] as const

export const seenComponents = (engine: Engine): SeenMetrics => ({
  metrics: seenOf,
  read: async ({ reads, memory }) => {
    const { group, version, kind } = engine.kind
    const keep = (component: KubeObject): KubeObject => ({
      ...component,
      spec: {},
      status: { ...summary(component, engine) },
    })
    const components = await reads.list({ apiVersion: apiVersionOf({ group, version }), kind, keep })
    const controller = engine.name
    const clients = await memory.remoteClients()
    return [
      ...components.flatMap(component => componentSeen(component, { controller, group, kind })),
      { metric: named('created_clients_total'), labels: { controller }, set: clients.created },
      { metric: named('active_clients_total'), labels: { controller }, set: clients.active },
    ]
  },
})

type Summary = { readonly state?: string; readonly dependents: number; readonly unready: number }

/** The part of a component that is kept while pages are read, because a thousand inventories are large. */
const summary = (component: KubeObject, { options }: Engine): Summary => {
  const { state, inventory } = statusAt(component, options.statusPath)
  const items = itemsOf(options.inventory?.read(component) ?? inventory)
  const unready = items.filter(({ phase }) => phase !== 'Ready' && phase !== 'Completed')
  return { state, dependents: items.length, unready: unready.length }
}

const componentSeen = ({ metadata, status }: KubeObject, kindLabels: Record<string, string>): Measurement[] => {
  const { state, dependents, unready } = status as Summary
  const labels = { ...kindLabels, namespace: metadata.namespace ?? '', name: metadata.name }
  return [
    ...stateMeasurements(named('component_state'), { states: componentStates, now: state, labels }),
    { metric: named('dependents_total'), labels, set: dependents },
    { metric: named('unready_dependents_total'), labels, set: unready },
  ]
}
