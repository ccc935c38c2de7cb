// What host, relay and agent show to Prometheus, after each thing that they measure has happened once; and the table of it.
import { loadFunctions } from '../../functions/index.ts'
import { agentMetrics } from '../../shared/agent/metrics.ts'
import type { Landscape } from '../../shared/api/serverless.ts'
import type { Metric } from '../../shared/core/decisions/measurement.ts'
import { objectState } from '../../shared/http/telemetry/function-metrics.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { relayMetrics } from '../../shared/relay/metrics.ts'
import type { Lane } from '../../shared/relay/queue/dispatch.ts'
import { Queue } from '../../shared/relay/queue/queue.ts'
import { reconcilersOf } from '../../shared/relay/reconcilers.ts'

/** The answers to `GET /metrics`, without what functions declare. */
export const shownTexts = async (landscape: Landscape) => ({
  host: await hostText(landscape),
  relay: await relayText(landscape),
  agent: await agentText(),
})

/** What each function declares. */
export const declaredMetrics = async (): Promise<(Metric & { readonly by: string })[]> =>
  (await loadFunctions()).flatMap(definition =>
    definition.does === 'reconcile'
      ? [definition.metrics, definition.seenOfEach?.metrics, definition.seen?.metrics]
          .flatMap(metrics => metrics ?? [])
          .map(one => ({ ...one, by: definition.name }))
      : [],
  )

const namesIn = (landscape: Landscape): string[] => reconcilersOf(landscape).map(({ name }) => name)

/** Each thing that a host measures has happened once. */
const hostText = async (landscape: Landscape): Promise<string> => {
  const metrics = hostMetrics()
  for (const name of namesIn(landscape)) metrics.callBegins(name)('thrown')
  for (const { events } of Object.values(landscape.functions))
    for (const event of events)
      if ('admission' in event)
        metrics.reviewEnds({ webhook: `/webhooks/${event.admission.path}`, code: 500, seconds: 1 })
  metrics.callbackBegins()({ code: 401, seconds: 1, route: '/v2/:name/event' })
  metrics.callbackBegins()({ code: 413, seconds: 1 })
  metrics.requestEnds({ code: '200', method: 'GET' })
  metrics.limitReached('connections' as never)
  metrics.servingCertificate(new Date())
  metrics.rendererMemory(async () => 1)
  const labels = { group: 'g', kind: 'Component', namespace: 'n', name: 'a', state: 'ready' }
  metrics.seen([objectState], async () => [{ metric: objectState.name, labels, set: 1 }])
  return metrics.text()
}

const relayText = async (landscape: Landscape): Promise<string> => {
  const metrics = relayMetrics()
  const queue = new Queue({ failureBaseSeconds: 1, failureMaxSeconds: 60 })
  const lanes = namesIn(landscape).map(name => ({ name, concurrency: 1, queue }) as unknown as Lane)
  metrics.read(lanes, { monotonic: () => 0 })
  for (const lane of lanes) metrics.taken(lane, 1)
  for (const lane of lanes) metrics.ended(lane, 1)
  metrics.resumed('Secret', 'dropped')
  metrics.reached('runtimes/one', 'down')
  metrics.requestEnds({ code: '200', method: 'GET' })
  metrics.shardsHeld(() => 1)
  return metrics.text()
}

const agentText = async (): Promise<string> => {
  const metrics = agentMetrics(() => 0)
  metrics.reviewed({ status: 400, seconds: 1 })
  metrics.posted()
  metrics.failed('unknown' as never)
  return metrics.text()
}

export const metricsPage = async (landscape: Landscape): Promise<string> => {
  const { host, relay, agent } = await shownTexts(landscape)
  const byFunction = Map.groupBy(await declaredMetrics(), ({ by }) => by)
  return [
    '# Metrics',
    '',
    'Made by `npm run generate`. [docs/guides/watch.md](../guides/watch.md) says how to scrape them and what to look at. Host, relay and agent',
    'show `process_…` and `nodejs_…` besides, as prom-client names them.',
    '',
    ...section('Host', rowsIn(host)),
    ...[...byFunction].flatMap(([name, metrics]) =>
      section(
        `Host with the function ${name}`,
        metrics.map(({ name, type, labels, help }) => row(name, type, labels, help)),
      ),
    ),
    ...section('Relay', rowsIn(relay)),
    ...section('Agent in a Kyma runtime', rowsIn(agent)),
  ].join('\n')
}

const section = (title: string, rows: readonly string[]): string[] => [
  `## ${title}`,
  '',
  '| series | type | labels | what it is |',
  '|---|---|---|---|',
  ...rows,
  '',
]

const row = (name: string, type: string, labels: readonly string[], help: string): string =>
  `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ')} | ${help} |`

const rowsIn = (text: string): string[] =>
  [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)]
    .filter(([, name = '']) => !/^(process|nodejs)_/.test(name))
    .map(([, name = '', help = '', type = '']) => row(name, type, labelsOf(text, name), help))

const labelsOf = (text: string, name: string): string[] => {
  const [, labels = ''] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(text) ?? []
  return [...labels.matchAll(/(\w+)="/g)].flatMap(([, label = '']) => (label === 'le' ? [] : label))
}
