// Every case of every row, with the real API server's answers as expectations: on the embedded server, or on the real one
// to see whether it still answers so.
import t, { type Test } from 'tap'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { type Row, rows } from './cases.ts'
import { played, type Stage } from './play.ts'
import { webhookServer } from './webhook-server.ts'

const atOnce = 8

t.jobs = atOnce
const cluster = await anyCluster(t)
const webhooks = await webhookServer(t)

const check = (row: Row): void =>
  row.cases.forEach((each, number) => {
    const prefix = `${cluster.namespace}-${row.id.slice(3)}`
    const stage: Stage = { endpoint: cluster, admin: cluster.admin, prefix, webhooks }
    void t.test(`${row.id} ${row.title}: ${each.name}`, { buffered: true }, async (test: Test) => {
      const seen = await played(stage, each, number)
      for (const [index, step] of each.steps.entries())
        if (seen[index] !== undefined) test.strictSame(seen[index], step.then, step.do ?? step.watch ?? 'calls')
    })
  })

rows().forEach(check)
