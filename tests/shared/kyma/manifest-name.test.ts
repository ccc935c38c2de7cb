import t from 'tap'
import { manifestName } from '../../../shared/kyma/manifests.ts'

t.test('KY-51 a Manifest is named after Kyma, component and module', async t => {
  const uuid = '24bd3cbf-454a-4075-baa6-113a23fdfcd0'
  const cases: [kyma: string, component: string, module: string, name: string][] = [
    [uuid, 'kyma.project.io/module/btp-operator', 'btp-operator', `${uuid}-btp-operator-4128321918`],
    ['default-id', 'kyma-project.io/module/some-module', 'module1', 'default-id-some-module-1831772875'],
    ['default-id', 'example.org/some-module', 'module1', 'default-id-some-module-1457091198'],
    ['tiny', 'kyma-project.io/module/telemetry', 'telemetry', 'tiny-telemetry-812080235'],
    ['tiny', 'kyma-project.io/module/telemetry', 'telemetry-two', 'tiny-telemetry-3465638618'],
    ['tiny', 'plain', 'plain', 'tiny-plain-4277858113'],
    [
      uuid,
      'kyma-project.io/module/application-connector',
      'application-connector',
      `${uuid}-application-connector-134`,
    ],
  ]
  for (const [kyma, component, module, name] of cases) t.equal(manifestName({ kyma, component, module }), name)
})

t.test('KY-51 from 63 characters on it is cut to 62, and does not end in a dash', async t => {
  const named = (kyma: string) => manifestName({ kyma, component: 'example.org/plain', module: 'plain' })
  const whole = named('k'.repeat(46))
  t.ok(/^k{46}-plain-\d+$/.test(whole), whole)
  t.equal(whole.length, 62)
  t.equal(named('k'.repeat(47)), `${'k'.repeat(47)}${whole.slice(46, 61)}`)
  t.equal(named('k'.repeat(55)), `${'k'.repeat(55)}-plain`)
})
