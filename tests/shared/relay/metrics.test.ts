// What the relay measures: its queues, and where names in it come from others.
import t from 'tap'
import { relayMetrics } from '../../../shared/relay/metrics.ts'
import type { Lane } from '../../../shared/relay/queue/dispatch.ts'
import { Queue } from '../../../shared/relay/queue/queue.ts'

t.test('RE-50 watches of kinds that others make up without end do not become series without end', async t => {
  const metrics = relayMetrics()
  for (let at = 0; at < 10_000; at++) metrics.resumed(`Kind${at}`, 'dropped')
  metrics.resumed('Kind3', 'excess')
  const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('espalier_watch_resumes_total{'))
  t.equal(lines.length, 102)
  const expected = [
    '{kind="Kind0",cause="dropped"} 1',
    '{kind="other",cause="dropped"} 9900',
    '{kind="Kind3",cause="excess"} 1',
  ]
  for (const line of expected) t.ok(lines.includes(`espalier_watch_resumes_total${line}`), line)
})

t.test('FN-12 calls under way are shown by how long they take, and calls that ended by how long they took', async t => {
  const metrics = relayMetrics()
  const queue = new Queue({ failureBaseSeconds: 1, failureMaxSeconds: 60 })
  const lane = { name: 'shop', concurrency: 3, queue } as Lane
  let now = 0
  metrics.read([lane], { monotonic: () => now })
  const begin = (id: string, at: number) => {
    queue.add(id, at)
    queue.take(at)
  }
  begin('one', 1_000)
  begin('two', 4_000)
  now = 10_000
  metrics.ended(lane, 40)
  const lines = (await metrics.text()).split('\n')
  for (const line of [
    'workqueue_unfinished_work_seconds{name="shop"} 15',
    'workqueue_longest_running_processor_seconds{name="shop"} 9',
    'controller_runtime_max_concurrent_reconciles{controller="shop"} 3',
    'workqueue_work_duration_seconds_sum{name="shop"} 40',
    'workqueue_work_duration_seconds_bucket{le="30",name="shop"} 0',
    'workqueue_work_duration_seconds_bucket{le="60",name="shop"} 1',
    'workqueue_adds_total{name="shop"} 2',
    'workqueue_depth{name="shop"} 0',
  ])
    t.ok(lines.includes(line), line)
  queue.done('one', { is: 'done' }, now)
  const later = (await metrics.text()).split('\n')
  t.ok(later.includes('workqueue_unfinished_work_seconds{name="shop"} 6'), 'a call that ended is not under way')
  t.ok(later.includes('workqueue_adds_total{name="shop"} 2'), 'a counter is not counted twice')
})
