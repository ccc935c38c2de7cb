// What a Component says of an object that the API server refuses.
import { inspect } from 'node:util'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { keptLog } from '../../shared/relay/silent-log.ts'

const ground = await orchards(t)
const { client, namespace } = ground
const definition = ground.define()

t.test(
  'CO-145 a long value that the API server refuses is left out of message and Event, and is in the log',
  async t => {
    const labels = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`label-${n}`, 'x'.repeat(40)]))
    const deployment = (value: string): KubeObject => {
      const matchLabels = { ...labels, changed: value }
      const template = { metadata: { labels: matchLabels }, spec: { containers: [{ name: 'a', image: 'a' }] } }
      const spec = { replicas: 0, selector: { matchLabels }, template }
      return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'unchanging', namespace }, spec }
    }
    const { log, lines } = keptLog()
    await ground.plant('lengthy', { objects: [deployment('one')] })
    await ground.settle(definition, 'lengthy')
    await ground.change('lengthy', { spec: { objects: [deployment('two')] } })
    await ground.settle(definition, 'lengthy', { log })
    const said = 'Deployment.apps "unchanging" is invalid: spec.selector: Invalid value: field is immutable'
    const message = `Deployment ${namespace}/unchanging: ${said}`
    matches(t, await ground.status('lengthy'), { state: 'Error', ready: { message } })
    const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace })
    t.ok(
      events.some(event => event.reason === 'UpdateError' && event.message === said),
      'the Event of the Deployment',
    )
    matches(t, inspect(lines, { depth: 10 }), /detail: .*label-3/, 'the log has the value')
  },
)
