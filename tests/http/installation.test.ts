// Settings of the host that functions are told, as people spell them.
import t from 'tap'
import { defaultInstallation } from '../../shared/api/installation.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { installationOf, installationSettings } from '../../shared/http/settings/installation-settings.ts'
import { matches } from '../harness/matches.ts'

const read = (...flags: string[]) =>
  settingsFrom(installationSettings, { program: 'host', flags: flags.map(flag => `--${flag}`), environment: {} })

const chosen = (...flags: string[]) => {
  const reading = read(...flags)
  return reading.is === 'settings' ? installationOf(reading.settings) : reading
}

t.test('no setting chosen: each has its default', async t => {
  t.strictSame(chosen(), defaultInstallation)
})

t.test('GA-128 the period of care is configurable from 15 s', async t => {
  matches(t, chosen('garden-care-seconds=15'), { garden: { careSeconds: 15 } })
  matches(t, chosen('garden-care-seconds=14'), { is: 'faults', faults: [/--garden-care-seconds is "14".*from 15/] })
})

t.test('GA-174 a list of thresholds replaces them all', async t => {
  const two = { VirtualComponentsHealthy: 90, RuntimeComponentsHealthy: 30 }
  const given = chosen('garden-condition-thresholds=VirtualComponentsHealthy=90, RuntimeComponentsHealthy=30')
  t.strictSame('garden' in given && given.garden.conditionThresholds, two)
  const none = chosen('garden-condition-thresholds=')
  t.strictSame('garden' in none && none.garden.conditionThresholds, {})
  const type = 'VirtualComponentsHealthy'
  for (const wrong of [type, `${type}=`, '=1', `${type}=1m`, `${type}=1=2`, 'VirtualComponentHealthy=90'])
    matches(t, read(`garden-condition-thresholds=${wrong}`), { is: 'faults' }, wrong)
})

t.test('GA-135 selectors of namespaces may hold commas', async t => {
  const given = chosen('garden-namespace-selectors=team in (a,b); env=x,!old')
  matches(t, given, { garden: { namespaceSelectors: ['team in (a,b)', 'env=x,!old'] } })
})

t.test('the virtual garden can be dialled elsewhere, and gates be on', async t => {
  const given = chosen('virtual-garden-address=127.0.0.1:6443', 'garden-feature-gates=HVPA')
  matches(t, given, { garden: { virtualGardenAddress: '127.0.0.1:6443', featureGates: ['HVPA'] } })
})

t.test('runtimes get an agent when its image and the address of the control plane are known', async t => {
  const both = ['kyma-agent-image=registry.example/espalier:1', 'kyma-event-address=listener.example:443']
  const agent = { image: 'registry.example/espalier:1', eventAddress: 'listener.example:443' }
  t.strictSame(chosen(...both), { ...defaultInstallation, kyma: { ...defaultInstallation.kyma, agent } })
  for (const flags of [both.slice(1), both.slice(0, 1), [...both, 'kyma-watcher=off']])
    t.strictSame(chosen(...flags), defaultInstallation, flags.join(' '))
  for (const wrong of ['listener.example', 'https://listener.example:443', 'listener.example:443/v2', 'x:99999'])
    matches(t, chosen(`kyma-event-address=${wrong}`), { is: 'faults' }, wrong)
})

const setAt = 'Set the flag --kyma-requeue-ready or the environment variable KYMA_REQUEUE_READY.'

t.test('KY-187 waits of Kyma are chosen by kind and state, from a second to a day', async t => {
  const given = chosen('kyma-requeue-busy=7s', 'manifest-requeue-error=1m30s', 'watcher-requeue=24h')
  matches(t, given, { kyma: { requeue: { kyma: { busy: 7 }, manifest: { error: 90 }, watcher: 86_400 } } })
  for (const wrong of ['0s', '25h', 'soon'])
    matches(t, chosen(`kyma-requeue-ready=${wrong}`), {
      is: 'faults',
      faults: [`--kyma-requeue-ready is "${wrong}": expected a duration from 1s to 24h such as 90s or 1h30m. ${setAt}`],
    })
})
