// Every panel of our dashboards and every alert rule finds its series in what host, relay and agent show.
import { join } from 'node:path'
import t from 'tap'
import { declaredMetrics, shownTexts } from '../../docs/generator/metrics.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { expressions, groupingsIn, type Matcher, selectorsIn } from '../harness/monitoring.ts'

const landscape = readLandscape(join(import.meta.dirname, '../../serverless.yml'))

/** Labels of Pods: Prometheus adds them. */
const ofTargets = ['job', 'pod', 'instance']

const anything = '*'

type Known = Map<string, Map<string, Set<string>>>

/** The values of each label of each series. What functions declare has any value. */
const known: Known = new Map()

const learn = (metric: string, labels: Iterable<readonly [string, string]>): void => {
  const values = known.get(metric) ?? new Map<string, Set<string>>()
  known.set(metric, values)
  for (const [label, value] of labels) values.set(label, (values.get(label) ?? new Set()).add(value))
}

for (const text of Object.values(await shownTexts(landscape)))
  for (const [, metric = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? /gm))
    learn(
      metric,
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value] as const),
    )
for (const { name, labels } of await declaredMetrics())
  learn(
    name,
    labels.map(label => [label, anything] as const),
  )

const isFound = ({ name, op, value }: Matcher, values: ReadonlySet<string> | undefined): boolean => {
  if (ofTargets.includes(name)) return true
  if (values?.has(anything)) return true
  const fits = (shown: string) => (op.endsWith('~') ? new RegExp(`^(?:${value})$`).test(shown) : shown === value)
  return [...(values ?? [])].some(shown => fits(shown) !== op.startsWith('!'))
}

const faultsOf = (expression: string): string[] => {
  const selectors = selectorsIn(expression)
  if (selectors.length === 0) return ['it selects nothing']
  return selectors.flatMap(matchers => {
    const named = matchers.filter(({ name }) => name === '__name__')
    const metrics = [...known.keys()].filter(metric => named.every(matcher => isFound(matcher, new Set([metric]))))
    if (metrics.length === 0) return [`no series ${JSON.stringify(named)}`]
    return metrics.flatMap(metric => {
      const labels = known.get(metric) ?? new Map<string, Set<string>>()
      const missing = matchers.filter(
        matcher => matcher.name !== '__name__' && !isFound(matcher, labels.get(matcher.name)),
      )
      const groupings = groupingsIn(expression).filter(
        label => !labels.has(label) && !ofTargets.includes(label) && label !== '__name__',
      )
      return [
        ...missing.map(({ name, value }) => `${metric}: ${name} ${value}`),
        ...groupings.map(label => `${metric} by ${label}`),
      ]
    })
  })
}

t.test('SEE-19 every panel and every alert rule finds its series', async t => {
  const all = expressions()
  t.ok(Object.keys(all).length > 70)
  for (const [name, expression] of Object.entries(all)) t.strictSame(faultsOf(expression), [], name)
})

t.test('SEE-19 an expression that finds nothing is noticed', async t => {
  const cases = [
    ['sum(workqueue_deptf)', 'no series [{"name":"__name__","op":"=","value":"workqueue_deptf"}]'],
    ['workqueue_depth{name="kima"}', 'workqueue_depth: name kima'],
    ['rate(workqueue_depth{nam=~"k.*"}[5m])', 'workqueue_depth: nam k.*'],
    ['sum by (controler) (controller_runtime_active_workers)', 'controller_runtime_active_workers by controler'],
    ['vector(0)', 'it selects nothing'],
  ] as const
  for (const [expression, fault] of cases) t.strictSame(faultsOf(expression), [fault])
})

t.test(
  'SEE-19 series of dashboards for lifecycle-manager, runtime-watcher and controller-runtime are all there',
  async t => {
    const theirs = [
      ...['queue_duration_seconds', 'work_duration_seconds'].flatMap(name => [
        `workqueue_${name}_sum`,
        `workqueue_${name}_count`,
      ]),
      ...['adds_total', 'depth', 'longest_running_processor_seconds', 'unfinished_work_seconds'].map(
        name => `workqueue_${name}`,
      ),
      ...['active_workers', 'max_concurrent_reconciles', 'reconcile_total', 'reconcile_errors_total'].map(
        name => `controller_runtime_${name}`,
      ),
      'controller_runtime_reconcile_time_seconds_sum',
      'rest_client_requests_total',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      ...[
        'maintenance_window_config_read_success',
        'self_signed_cert_not_renew',
        'requeue_reason_total',
        'kyma_state',
        'module_state',
        'mandatory_modules',
        'mandatory_module_state',
      ].map(name => `lifecycle_mgr_${name}`),
      ...['requests_total', 'request_errors_total', 'request_duration', 'inflight_requests'].map(
        name => `watcher_listener_${name}`,
      ),
      'watcher_listener_failed_verification_requests_total',
      'watcher_listener_exceeding_size_limit_requests_total',
      ...[
        'admission_request_total',
        'admission_request_error_total',
        'kcp_requests_total',
        'failed_kcp_total',
        'request_duration',
      ].map(name => `watcher_${name}`),
    ]
    t.strictSame(
      theirs.filter(name => !known.has(name)),
      [],
    )
  },
)
