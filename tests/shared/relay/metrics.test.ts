// What the relay measures, where the names in it come from others.
import t from 'tap'
import { relayMetrics } from '../../../shared/relay/metrics.ts'

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
