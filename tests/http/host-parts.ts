// A host's parts around a memory cluster: two functions of a kind of our own, one that reconciles and one that reviews.
import type { Landscape } from '../../shared/api/serverless.ts'
import { settled } from '../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { type AppParts, type HostApps, hostApps } from '../../shared/http/app.ts'
import { sharedSecret } from '../../shared/http/callers.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { readiness } from '../../shared/http/readiness.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import type { AdmissionFunction, ReconcileFunction } from '../../shared/runtime/definition.ts'
import { MemoryCluster } from './memory-cluster.ts'

export const secret = 'the-secret-of-these-tests-alone-x'
export const authorization = `Bearer ${secret}`
export const widgetKind = { apiVersion: 'example.com/v1', kind: 'Widget' }

export const widget = (name = 'a', spec: object = {}): KubeObject => ({
  ...widgetKind,
  metadata: { name, namespace: 'n' },
  spec,
})

/** Wants one ConfigMap per Widget, and says in the status that it saw the Widget. */
export const widgetFunction = (change: Partial<ReconcileFunction> = {}): ReconcileFunction => ({
  does: 'reconcile',
  name: 'widget',
  kind: widgetKind,
  gather: async object => object,
  decide: world => ({
    steps: [
      {
        do: 'apply',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(world), data: { made: 'yes' } },
      },
    ],
    status: { seen: true },
    events: [],
    next: settled,
  }),
  keys: async object => [{ namespace: 'n', name: object.metadata.name }],
  ...change,
})

const metadataOf = (world: unknown) => {
  const { name, namespace } = (world as KubeObject).metadata
  return { name, namespace }
}

/** Denies Widgets of size 0 and gives those without a size the size 1. */
export const widgetReview = (change: Partial<AdmissionFunction> = {}): AdmissionFunction => ({
  does: 'review',
  name: 'widget-admission',
  kind: widgetKind,
  review: ({ object }) => {
    const spec = (object?.spec ?? {}) as { size?: number }
    if (spec.size === 0) {
      const causes = [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' }]
      return { allowed: false, code: 422, reason: 'Invalid', message: 'Widget "a" is invalid', causes }
    }
    return object && spec.size === undefined
      ? { allowed: true, object: { ...object, spec: { ...spec, size: 1 } } }
      : { allowed: true }
  },
  ...change,
})

const block = {
  handler: 'functions/x/index.x',
  description: 'x',
  timeout: 30,
  concurrency: 1,
  memorySize: 64,
  failureBaseSeconds: 1,
  failureMaxSeconds: 60,
  access: [],
}

export const landscape = (timeout = 30): Landscape => ({
  service: 'espalier',
  provider: { name: 'espalier', namespace: 'espalier-system', sweepSeconds: 3_600 },
  functions: {
    widget: { ...block, timeout, events: [] },
    'widget-admission': {
      ...block,
      events: [
        {
          admission: {
            type: 'mutating',
            webhook: 'widget.example.com',
            configuration: 'espalier',
            path: 'widget',
            rules: [],
            failurePolicy: 'Fail',
            timeoutSeconds: 30,
          },
        },
      ],
    },
  },
})

export type TestHost = HostApps & { cluster: MemoryCluster; parts: AppParts; lines: LogLine[] }
export type LogLine = { level: string; msg: string; [field: string]: unknown }

/** The apps, with a log that is kept. */
export const testHost = (change: Partial<AppParts> = {}, cluster = new MemoryCluster([widget()])): TestHost => {
  const lines: LogLine[] = []
  const parts: AppParts = {
    context: hostContext(landscape(), { clusters: cluster.clusters }),
    functions: [widgetFunction(), widgetReview()],
    landscape: landscape(),
    metrics: hostMetrics(),
    readiness: readiness({ client: async () => cluster.client, freshMilliseconds: 0 }),
    version: '0.0.0',
    checkToken: sharedSecret(secret),
    log: hostLog('debug', { write: line => void lines.push(JSON.parse(line)) }),
    ...change,
  }
  return { ...hostApps(parts), cluster, parts, lines }
}
