import t from 'tap'
import { kubeMicroTime, kubeTime } from '../../../shared/core/time/kube-time.ts'

t.test('times are in UTC, and never later than what they tell', async t => {
  const time = new Date('2026-01-02T04:04:05.999+01:00')
  t.equal(kubeTime(time), '2026-01-02T03:04:05Z')
  t.equal(kubeMicroTime(time), '2026-01-02T03:04:05.999000Z')
  t.equal(new Date(kubeMicroTime(time)).getTime(), time.getTime())
})
