// Which ModuleTemplate a module means, and what its entry says when there is none.
import t from 'tap'
import type { World } from '../../../functions/kyma/world.ts'
import { matches } from '../../harness/matches.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma.ts'
import { kymaWorld, listing, passOf } from '../../make/kyma-world.ts'

const telemetry = { name: 'telemetry' }

const entriesOf = (world: World) => (passOf(world).status as { modules: object[] }).modules

t.test('KY-20 a module is installed in the version that its channel has', async t => {
  const world = kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] })
  const { steps, status } = passOf(world)
  const name = 'default-id-telemetry-812080235'
  matches(t, steps, [{ do: 'create', object: { kind: 'Manifest', metadata: { name }, spec: { version: '1.2.3' } } }])
  const component = 'kyma-project.io/module/telemetry'
  matches(t, status, {
    modules: [
      {
        ...{ name: 'telemetry', channel: 'regular', version: '1.2.3', fqdn: component, ocmComponentName: component },
        template: { kind: 'ModuleTemplate', metadata: { name: 'telemetry-1.2.3', namespace: 'kcp-system' } },
        manifest: { kind: 'Manifest', metadata: { name, namespace: 'kcp-system', generation: 1 } },
      },
    ],
  })
})

t.test('KY-21 the channel of the module counts before that of the Kyma', async t => {
  const channels = [
    { channel: 'regular', version: '1.2.3' },
    { channel: 'fast', version: '1.3.0' },
  ]
  const templates = ['1.2.3', '1.3.0'].map(version =>
    moduleTemplate({ metadata: { name: `telemetry-${version}` }, spec: { descriptor: { component: { version } } } }),
  )
  const given = { templates, metas: [moduleReleaseMeta({ spec: { channels } })] }
  matches(t, entriesOf(kymaWorld({ ...given, kyma: listing(telemetry) })), [{ channel: 'regular', version: '1.2.3' }])
  const fast = listing({ ...telemetry, channel: 'fast' })
  matches(t, entriesOf(kymaWorld({ ...given, kyma: fast })), [{ channel: 'fast', version: '1.3.0' }])
})
