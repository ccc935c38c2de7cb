// Settings of the functions of Espalier, as people spell them and as calls get them.
import t from 'tap'
import { loadFunctions } from '../../functions/index.ts'
import { istio } from '../../functions/istio/index.ts'
import { errorText } from '../../shared/core/text/error-text.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { type AgentSettings, wantedAgent } from '../../shared/kyma/settings.ts'
import { hostTable, settingsOfFunction } from '../harness/host-table.ts'
import { lacks, matches } from '../harness/matches.ts'

const functions = await loadFunctions()

/** What the function of this name gets. */
const chosen = async (name: string, ...flags: string[]) => {
  const definition = functions.find(one => one.name === name)
  if (!definition) throw new Error(`there is no function ${name}`)
  return settingsOfFunction(definition, { flags: flags.map(flag => `--${flag}`) })
}

t.test('GA-128 the period of care is configurable from 15 s', async t => {
  matches(t, await chosen('garden-care'), { careSeconds: 60 })
  matches(t, await chosen('garden-care', 'garden-care-seconds=15'), { careSeconds: 15 })
  matches(t, await chosen('garden-care', 'garden-care-seconds=14'), {
    is: 'faults',
    faults: [/--garden-care-seconds is "14".*from 15/],
  })
})

t.test('GA-95 the life of the authority of the runtime cluster is configurable from 10 hours', async t => {
  const seconds = (text: string) => chosen('garden-reconcile', `garden-runtime-authority-seconds=${text}`)
  matches(t, await seconds('36000'), { runtimeAuthoritySeconds: 36_000 })
  matches(t, await seconds('35999'), { is: 'faults' })
})

t.test('GA-174 a list of thresholds replaces them all', async t => {
  const given = (text: string) => chosen('garden-care', `garden-condition-thresholds=${text}`)
  matches(t, await given('VirtualComponentsHealthy=90, RuntimeComponentsHealthy=30'), {
    conditionThresholds: { VirtualComponentsHealthy: 90, RuntimeComponentsHealthy: 30 },
  })
  t.strictSame((await given('')).conditionThresholds, {})
  const type = 'VirtualComponentsHealthy'
  for (const wrong of [type, `${type}=`, '=1', `${type}=1m`, `${type}=1=2`, 'VirtualComponentHealthy=90'])
    matches(t, await given(wrong), { is: 'faults' }, wrong)
})

t.test('GA-135 selectors of namespaces may hold commas', async t => {
  const given = await chosen('garden-network-policy', 'garden-namespace-selectors=team in (a,b); env=x,!old')
  t.strictSame(given, { namespaceSelectors: ['team in (a,b)', 'env=x,!old'] })
})

t.test('the virtual garden and its backup sidecar can be dialled elsewhere, and gates be on', async t => {
  const addresses = ['virtual-garden-address=127.0.0.1:6443', 'backup-sidecar-address=127.0.0.1:8080']
  matches(t, await chosen('garden-reconcile', ...addresses, 'garden-feature-gates=DefaultSeccompProfile'), {
    virtualGardenAddress: '127.0.0.1:6443',
    backupSidecarAddress: '127.0.0.1:8080',
    featureGates: ['DefaultSeccompProfile'],
  })
  matches(t, await chosen('garden-care', ...addresses), { virtualGardenAddress: '127.0.0.1:6443' })
})

t.test('runtimes get an agent when its image and the address of the control plane are known', async t => {
  const both = ['kyma-agent-image=registry.example/espalier:1', 'kyma-event-address=listener.example:443']
  const agentOf = async (...flags: string[]) => wantedAgent((await chosen('kyma', ...flags)) as AgentSettings)
  t.strictSame(await agentOf(...both), { image: 'registry.example/espalier:1', eventAddress: 'listener.example:443' })
  for (const flags of [[], both.slice(1), both.slice(0, 1), [...both, 'kyma-watcher=off']])
    t.equal(await agentOf(...flags), undefined, flags.join(' '))
  for (const wrong of ['listener.example', 'https://listener.example:443', 'listener.example:443/v2', 'x:99999'])
    matches(t, await chosen('kyma', `kyma-event-address=${wrong}`), { is: 'faults' }, wrong)
})

const setAt = 'Set the flag --kyma-requeue-ready or the environment variable KYMA_REQUEUE_READY.'

t.test('KY-187 waits of Kyma are chosen by kind and state, from a second to a day', async t => {
  const given = ['kyma-requeue-busy=7s', 'manifest-requeue-error=1m30s', 'watcher-requeue=24h']
  matches(t, await chosen('kyma', ...given), { requeueReady: 300, requeueBusy: 7, requeueError: 30 })
  matches(t, await chosen('manifest', ...given), { requeueBusy: 5, requeueError: 90 })
  matches(t, await chosen('watcher', ...given), { requeue: 86_400 })
  for (const wrong of ['0s', '25h', 'soon'])
    matches(t, await chosen('kyma', `kyma-requeue-ready=${wrong}`), {
      is: 'faults',
      faults: [`--kyma-requeue-ready is "${wrong}": expected a duration from 1s to 24h such as 90s or 1h30m. ${setAt}`],
    })
})

t.test('IS-95 a setting says how often an Istio that is Ready is called again', async t => {
  const interval = (text: string) => chosen('istio', `istio-reconciliation-interval=${text}`)
  matches(t, await interval('1h'), { reconcileSeconds: 3_600 })
  matches(t, await interval('90m30s'), { reconcileSeconds: 5_430 })
  const says = (text: string) =>
    new RegExp(`--istio-reconciliation-interval is "${text}".*ISTIO_RECONCILIATION_INTERVAL`)
  for (const wrong of ['soon', '0', '-1h'])
    matches(t, await interval(wrong), { is: 'faults', faults: [says(wrong)] }, wrong)
})

t.test('istio is told what else is chosen, under the names of the Kyma Istio module', async t => {
  const environment = {
    ISTIO_CHARTS: 'oci://registry.example/istio:1.30.2',
    SKR_IMG_PULL_SECRET: 'pull',
    ISTIO_INSTALL_TIMEOUT: '9m',
    ISTIO_EXPERIMENTAL: 'true',
    ISTIO_DEPLOYMENT: 'mesh',
  }
  matches(t, await settingsOfFunction(istio, { environment }), {
    charts: 'oci://registry.example/istio:1.30.2',
    pullSecret: 'pull',
    installSeconds: 540,
    reconcileSeconds: 36_000,
    experimental: 'true',
    deployment: 'mesh',
    profiles: { production: { kind: 'IstioOperator' } },
    images: undefined,
  })
})

const hub = 'registry.example:5000/istio'
const pilot = `pilot=${hub}/pilot:1.30.2`
const three = [pilot, `install-cni=${hub}/install-cni:1.30.2`, `proxyv2=${hub}/proxyv2:1.30.2@sha256:00`]

/** The environment as `name=value`. */
const imagesOf = async (...variables: string[]) => {
  const environment = Object.fromEntries(variables.map(variable => variable.split('=') as [string, string]))
  return settingsOfFunction(istio, { environment }).then(({ images }) => images, errorText)
}

t.test('IS-30 the images of Istio are those of the variables, with FIPS those of the variables for FIPS', async t => {
  const images = {
    pilot: `${hub}/pilot:1.30.2`,
    cni: `${hub}/install-cni:1.30.2`,
    proxy: `${hub}/proxyv2:1.30.2@sha256:00`,
  }
  t.strictSame(await imagesOf(...three), images)
  const ztunnel = `${hub}/ztunnel:1.30.2`
  t.strictSame(await imagesOf(...three, `ztunnel=${ztunnel}`), { ...images, ztunnel })
  const forFips = three.map(variable => variable.replace('=', '-fips=').replaceAll('1.30.2', '1.30.2-fips'))
  t.strictSame(await imagesOf(...three, ...forFips), images)
  const fips = Object.fromEntries(
    Object.entries(images).map(([name, one]) => [name, one.replace('1.30.2', '1.30.2-fips')]),
  )
  t.strictSame(await imagesOf(...three, ...forFips, 'KYMA_FIPS_MODE_ENABLED=true'), fips)
  t.strictSame(await imagesOf(), undefined)
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
    const said = await imagesOf(...variables)
    t.ok(String(said).startsWith(`${name} is "${value}": `), `${variables.join(' ')}: ${said}`)
  }
})

t.test(
  'IS-124 images and charts with a user, or with characters that no reference has, are refused without showing the password',
  async t => {
    const places = ['robot:canary@', 'robot:can/a@ry@', ' ', 'a\u2028b/', 'a b/', 'https://']
    for (const place of places) {
      const odd = three.map(variable => variable.replace('=', `=${place}`))
      const said = String(await imagesOf(...odd))
      matches(t, said, /^install-cni is "/)
      lacks(t, said, 'can')
      t.equal(said.includes('***@'), place.includes('@'))
    }
    const digest = `sha256:${'0'.repeat(64)}`
    const charts = async (source: string) => {
      const given = await chosen('istio', `istio-charts=${source}`)
      return given.is === 'faults' ? given : given.charts
    }
    for (const end of [':1.30.2', `@${digest}`]) {
      for (const place of ['oci://robot:canary@', 'https://robot:canary@', 'oci:///', 'oci://a\u2028b', 'oci://a b']) {
        const said = await charts(`${place}registry.example/istio${end}`)
        matches(t, said, { is: 'faults', faults: [/^--istio-charts is ".*without user and password.*ISTIO_CHARTS/s] })
        lacks(t, JSON.stringify(said), 'canary')
      }
      for (const host of ['registry.example', 'registry.example:5000', '[::1]:5000']) {
        const source = `oci://${host}/istio/charts${end}`
        t.equal(await charts(source), source)
      }
    }
    for (const end of ['', ':', '@sha256:00', ':1/2', ':1?a=b'])
      matches(t, await charts(`oci://registry.example/istio${end}`), { is: 'faults' }, end)
    t.equal(await charts('/var/lib/charts of istio'), '/var/lib/charts of istio')
    t.equal(await charts(''), undefined)
    const flags = ['--print-config', '--istio-charts=oci://robot:canary@registry.example/istio:1']
    const printed = settingsFrom(hostTable, { program: 'host', flags, environment: {} })
    matches(t, printed, { is: 'text', text: /istioCharts = "oci:\/\/\*\*\*@registry\.example\/istio:1"/ })
  },
)
