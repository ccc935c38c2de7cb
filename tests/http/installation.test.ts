// Settings of the host that functions are told, as people spell them.
import t from 'tap'
import { defaultInstallation } from '../../shared/api/installation.ts'
import { attempted } from '../../shared/core/decisions/reading.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { installationOf, installationSettings } from '../../shared/http/settings/installation-settings.ts'
import { lacks, matches } from '../harness/matches.ts'

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

t.test('GA-95 the life of the authority of the runtime cluster is configurable from 10 hours', async t => {
  matches(t, chosen('garden-runtime-authority-seconds=36000'), { garden: { runtimeAuthoritySeconds: 36_000 } })
  matches(t, chosen('garden-runtime-authority-seconds=35999'), { is: 'faults' })
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

t.test('the virtual garden and its backup sidecar can be dialled elsewhere, and gates be on', async t => {
  const addresses = ['virtual-garden-address=127.0.0.1:6443', 'backup-sidecar-address=127.0.0.1:8080']
  const given = chosen(...addresses, 'garden-feature-gates=DefaultSeccompProfile')
  const [virtualGardenAddress, backupSidecarAddress] = ['127.0.0.1:6443', '127.0.0.1:8080']
  matches(t, given, { garden: { virtualGardenAddress, backupSidecarAddress, featureGates: ['DefaultSeccompProfile'] } })
})

t.test('runtimes get an agent when its image and the address of the control plane are known', async t => {
  const both = ['kyma-agent-image=registry.example/espalier:1', 'kyma-event-address=listener.example:443']
  const limits = { cpu: '100m', memory: '200Mi' }
  const agent = { image: 'registry.example/espalier:1', eventAddress: 'listener.example:443', limits }
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

t.test('IS-95 a setting says how often an Istio that is Ready is called again', async t => {
  const interval = (text: string) => chosen(`istio-reconciliation-interval=${text}`)
  matches(t, interval('1h'), { istio: { reconcileSeconds: 3_600 } })
  matches(t, interval('90m30s'), { istio: { reconcileSeconds: 5_430 } })
  const says = (text: string) =>
    new RegExp(`--istio-reconciliation-interval is "${text}".*ISTIO_RECONCILIATION_INTERVAL`)
  for (const wrong of ['soon', '0', '-1h']) matches(t, interval(wrong), { is: 'faults', faults: [says(wrong)] }, wrong)
})

t.test('istio is told what else is chosen, under the names of the Kyma Istio module', async t => {
  const environment = {
    ISTIO_CHARTS: 'oci://registry.example/istio:1.30.2',
    SKR_IMG_PULL_SECRET: 'pull',
    ISTIO_INSTALL_TIMEOUT: '9m',
    ISTIO_EXPERIMENTAL: 'true',
    ISTIO_DEPLOYMENT: 'mesh',
  }
  const reading = settingsFrom(installationSettings, { program: 'host', flags: [], environment })
  t.strictSame(reading.is === 'settings' && installationOf(reading.settings).istio, {
    charts: 'oci://registry.example/istio:1.30.2',
    pullSecret: 'pull',
    installSeconds: 540,
    reconcileSeconds: 36_000,
    isExperimental: true,
    deployment: 'mesh',
  })
})

const hub = 'registry.example:5000/istio'
const pilot = `pilot=${hub}/pilot:1.30.2`
const three = [pilot, `install-cni=${hub}/install-cni:1.30.2`, `proxyv2=${hub}/proxyv2:1.30.2@sha256:00`]

/** The environment as `name=value`. */
const imagesOf = (...variables: string[]) => {
  const environment = Object.fromEntries(variables.map(variable => variable.split('=') as [string, string]))
  const reading = settingsFrom(installationSettings, { program: 'host', flags: [], environment })
  if (reading.is !== 'settings') return reading
  const { settings } = reading
  const read = attempted(() => installationOf(settings).istio.images)
  return 'read' in read ? read.read : read.failed
}

t.test('IS-30 the images of Istio are those of the variables, with FIPS those of the variables for FIPS', async t => {
  const images = {
    pilot: `${hub}/pilot:1.30.2`,
    cni: `${hub}/install-cni:1.30.2`,
    proxy: `${hub}/proxyv2:1.30.2@sha256:00`,
  }
  t.strictSame(imagesOf(...three), images)
  const ztunnel = `${hub}/ztunnel:1.30.2`
  t.strictSame(imagesOf(...three, `ztunnel=${ztunnel}`), { ...images, ztunnel })
  const forFips = three.map(variable => variable.replace('=', '-fips=').replaceAll('1.30.2', '1.30.2-fips'))
  t.strictSame(imagesOf(...three, ...forFips), images)
  const fips = Object.fromEntries(
    Object.entries(images).map(([name, one]) => [name, one.replace('1.30.2', '1.30.2-fips')]),
  )
  t.strictSame(imagesOf(...three, ...forFips, 'KYMA_FIPS_MODE_ENABLED=true'), fips)
  t.strictSame(imagesOf(), undefined)
})

t.test('IS-107 images that do not go together are refused at the start, by variable and value', async t => {
  const withOther = (name: string, image: string) => [...three.filter(one => !one.startsWith(name)), `${name}=${image}`]
  const rows: [variables: readonly string[], name: string, value: string][] = [
    [withOther('install-cni', `${hub}/install-cni:1.29.5`), 'install-cni', `${hub}/install-cni:1.29.5`],
    [
      withOther('proxyv2', 'elsewhere.example/istio/proxyv2:1.30.2'),
      'proxyv2',
      'elsewhere.example/istio/proxyv2:1.30.2',
    ],
    [[...three, `ztunnel=${hub}/ztunnel:1.30.1`], 'ztunnel', `${hub}/ztunnel:1.30.1`],
    [withOther('pilot', `${hub}/pilot@sha256:00`), 'pilot', `${hub}/pilot@sha256:00`],
    [withOther('pilot', `${hub}/pilot`), 'pilot', `${hub}/pilot`],
    [three.slice(1), 'pilot', ''],
    [[pilot, ...three.slice(2)], 'install-cni', ''],
    [three.slice(0, 2), 'proxyv2', ''],
    [[`ztunnel=${hub}/ztunnel:1.30.2`], 'pilot', ''],
    [['KYMA_FIPS_MODE_ENABLED=true', pilot.replace('=', '-fips=')], 'install-cni-fips', ''],
  ]
  for (const [variables, name, value] of rows) {
    const said = imagesOf(...variables)
    t.ok(String(said).startsWith(`${name} is "${value}": `), `${variables.join(' ')}: ${said}`)
  }
})

t.test(
  'IS-124 images and charts with a user, or with characters that no reference has, are refused without showing the password',
  async t => {
    const places = ['robot:canary@', 'robot:can/a@ry@', ' ', 'a\u2028b/', 'a b/', 'https://']
    for (const place of places) {
      const odd = three.map(variable => variable.replace('=', `=${place}`))
      const said = String(imagesOf(...odd))
      matches(t, said, /^install-cni is "/)
      lacks(t, said, 'can')
      t.equal(said.includes('***@'), place.includes('@'))
    }
    const digest = `sha256:${'0'.repeat(64)}`
    const charts = (source: string) => {
      const reading = settingsFrom(installationSettings, {
        program: 'host',
        flags: [`--istio-charts=${source}`],
        environment: {},
      })
      return reading.is === 'settings' ? installationOf(reading.settings).istio.charts : reading
    }
    for (const end of [':1.30.2', `@${digest}`]) {
      for (const place of ['oci://robot:canary@', 'https://robot:canary@', 'oci:///', 'oci://a\u2028b', 'oci://a b']) {
        const said = charts(`${place}registry.example/istio${end}`)
        matches(t, said, { is: 'faults', faults: [/^--istio-charts is ".*without user and password.*ISTIO_CHARTS/s] })
        lacks(t, JSON.stringify(said), 'canary')
      }
      for (const host of ['registry.example', 'registry.example:5000', '[::1]:5000']) {
        const source = `oci://${host}/istio/charts${end}`
        t.equal(charts(source), source)
      }
    }
    for (const end of ['', ':', '@sha256:00', ':1/2', ':1?a=b'])
      matches(t, charts(`oci://registry.example/istio${end}`), { is: 'faults' }, end)
    t.equal(charts('/var/lib/charts of istio'), '/var/lib/charts of istio')
    t.equal(charts(''), undefined)
    const flags = ['--print-config', '--istio-charts=oci://robot:canary@registry.example/istio:1']
    const printed = settingsFrom(installationSettings, { program: 'host', flags, environment: {} })
    matches(t, printed, { is: 'text', text: /istioCharts = "oci:\/\/\*\*\*@registry\.example\/istio:1"/ })
  },
)
