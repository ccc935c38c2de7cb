// Entries of Watchers before a real API server: what it refuses, one entry and with it all others, is what no Watcher gets an entry for.
import t from 'tap'
import { webhookConfiguration } from '../../functions/kyma/desired/agent.ts'
import { ApiError } from '../../shared/kube/errors.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'
import { watcherFault } from '../../shared/kyma/watcher-fault.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { watcher } from '../make/kyma/kyma.ts'
import { wrongWatchers } from '../make/kyma/wrong-watchers.ts'

const cluster = await anyCluster(t, { remote: true })
const client = clientTo(t, cluster)
const certificate = { 'ca.crt': '', 'tls.crt': '', 'tls.key': '' }

/** What the API server says of a configuration with these entries, of which nothing is kept. */
const answerTo = async (...watchers: Watcher[]): Promise<string> => {
  const limits = { cpu: '100m', memory: '200Mi' }
  const agent = { namespace: 'kyma-system', image: 'x', limits, eventAddress: 'x:443', watchers, certificate }
  const configuration = webhookConfiguration(agent)
  configuration.metadata.name = `skr-webhook-${cluster.namespace}`
  try {
    await client.create(configuration, { fieldManager: 'person', dryRun: true })
    return 'taken'
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}

const { 'no manager': nameless, ...refused } = wrongWatchers

for (const [name, wrong] of Object.entries(refused))
  t.test(`KY-220 an entry for a Watcher with ${name} takes all others along`, async t => {
    t.ok(watcherFault(wrong))
    t.equal(await answerTo(wrong, watcher()), 'Invalid')
  })

t.test('KY-220 an entry for a Watcher without manager is taken, and would lead nowhere', async t => {
  t.equal(await answerTo(nameless as Watcher, watcher()), 'taken')
})

t.test('KY-220 whatever else a Watcher says is taken', async t => {
  const labelsToWatch = { 'example.com/a.B_c': '', d: 'E_f.g' }
  const longest = watcher({ metadata: { name: 'x'.repeat(217) }, spec: { manager: 'a.b-c', labelsToWatch } })
  const ofCore = watcher({ metadata: { name: 'core' }, spec: { resourceToWatch: { group: '', resource: 'pods' } } })
  t.strictSame([longest, ofCore].map(watcherFault), [undefined, undefined])
  t.equal(await answerTo(longest, ofCore, watcher()), 'taken')
})
