// Metrics of components, with names and labels of component-operator-runtime.
import { itemsOf } from '../../../component/item.ts'
import { componentStates, type PassError } from '../../../component/reported/component-state.ts'
import { driftMetric } from '../../../component/reported/dependent-events.ts'
import { type Measurement, type Metric, stateMeasurements } from '../../../core/decisions/measurement.ts'
import type { StepResult } from '../../../core/decisions/plan.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { ApiError } from '../../../kube/errors.ts'
import type { SeenMetrics, SeenOfEach } from '../../definition.ts'
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

/** The measurement for an error that ended the pass before its report. */
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
 * HTTP codes of the errors in a pass. Only the first error counts, because the first error ends a pass in the Go runtime. A missing
 * reference or a requested retry is not an error.
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
    help: 'Whether the component is in this state',
  },
  { name: named('dependents_total'), type: 'gauge', labels: ofObject, help: 'Number of dependents of a component' },
  {
    name: named('unready_dependents_total'),
    type: 'gauge',
    labels: ofObject,
    help: 'Number of dependents that are neither Ready nor Completed',
  },
] as const

export const seenComponents = (engine: Engine): SeenOfEach => ({
  metrics: seenOf,
  begin: async () => component => componentSeen(component, engine),
})

const componentSeen = (component: KubeObject, { name, kind: { group, kind }, options }: Engine): Measurement[] => {
  const { metadata } = component
  const { state, inventory } = statusAt(component, options.statusPath)
  const items = itemsOf(options.inventory?.read(component) ?? inventory)
  const unready = items.filter(({ phase }) => phase !== 'Ready' && phase !== 'Completed')
  const labels = { controller: name, group, kind, namespace: metadata.namespace ?? '', name: metadata.name }
  return [
    ...stateMeasurements(named('component_state'), { states: componentStates, now: state, labels }),
    { metric: named('dependents_total'), labels, set: items.length },
    { metric: named('unready_dependents_total'), labels, set: unready.length },
  ]
}

const clientsSeen = [
  {
    name: named('created_clients_total'),
    type: 'counter',
    labels: ['controller'],
    help: 'Number of clients for kubeconfigs that this process created',
  },
  {
    name: named('active_clients_total'),
    type: 'gauge',
    labels: ['controller'],
    help: 'Number of cached clients for kubeconfigs',
  },
] as const

export const seenClients = ({ name: controller }: Engine): SeenMetrics => ({
  metrics: clientsSeen,
  read: async ({ memory }) => {
    const { created, active } = await memory.remoteClients()
    return [
      { metric: named('created_clients_total'), labels: { controller }, set: created },
      { metric: named('active_clients_total'), labels: { controller }, set: active },
    ]
  },
})
