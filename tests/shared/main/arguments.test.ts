// `espalier check` translates the argument list of a Go operator: given behind `--`, of a Deployment, of the file that it mounts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { readYaml } from '../../../shared/core/yaml/read.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { relaySettings } from '../../../shared/http/settings/relay-settings.ts'
import { argumentTables, translated } from '../../../shared/main/cli/arguments/translation.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { hostTable } from '../../harness/host-table.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'

const check = (...args: string[]) => runCommand(commands, ['check', ...args])
const unfolded = (text: string): string => text.replaceAll(/\n {4}(?! )/g, ' ')

/** The values for the chart at the end of an answer. */
const valuesIn = (out: string): unknown => readYaml(out.split('Values for the chart:\n')[1] ?? '')

const starts = (program: 'host' | 'relay', flags: readonly string[]) => {
  const environment = { ESPALIER_CALLERS: 'secret', ESPALIER_CALLER_SECRET: 'x'.repeat(32) }
  return settingsFrom(program === 'host' ? hostTable : relaySettings, { program, flags, environment })
}

const lines: readonly [title: string, args: string[], becomes: RegExp, code: number][] = [
  ['a word for a number', ['--log-level=9'], /^log-level=9: --log-level=debug of the host$/m, 0],
  ['for both programs', ['--log-level=0'], /^log-level=0: --log-level=warn of the relay$/m, 0],
  ['a value of its own word', ['--skr-image-pull-secret', 'pull'], /=pull: --kyma-pull-secret=pull of the host/, 0],
  ['one dash', ['-skr-image-pull-secret=pull'], /--kyma-pull-secret=pull of the host/, 0],
  [
    'a switch takes no word',
    ['--leader-elect', 'word', '--pprof'],
    /^leader-elect=true: none, relays always share/m,
    0,
  ],
  ['the last one counts', ['--log-level=0', '--log-level=1'], /^log-level=1: --log-level=info of the host$/m, 0],
  ['seconds', ['--min-maintenance-window-size=20m'], /: --kyma-window-rest-seconds=1200 of the host/, 0],
  ['seconds within bounds', ['--leader-election-lease-duration=180s'], /: --lease-seconds=60 of the relay/, 0],
  ['what a version had', ['--purge-finalizer-timeout=5m'], /: --kyma-purge-grace-seconds=300 of the host/, 0],
  [
    'a namespace',
    ['--istio-gateway-namespace=mesh'],
    /^istio-gateway-namespace=mesh: --kyma-gateway-namespace=mesh of the host$/m,
    0,
  ],
  [
    'one setting of two',
    ['--self-signed-cert-issuer-namespace=a'],
    /: --kyma-certificate-issuer=a\/klm-watcher-selfsigned of/,
    0,
  ],
  ['another word', ['--cert-management=cert-manager.io/v1'], /: --kyma-certificates=cert-manager of the host/, 0],
  [
    'a path without its registry',
    ['--modules-repository-subpath=a'],
    /: --kyma-registry of the host, by hand: after the host/,
    1,
  ],
  [
    'what only people know',
    ['--skr-watcher-image-tag=2'],
    /: --kyma-agent-image of the host, by hand: the full image/,
    1,
  ],
  [
    'what our setting refuses',
    ['--self-signed-cert-duration=30s'],
    /by hand: "30s" does not fit: expected a duration/,
    1,
  ],
  ['what nobody knows', ['--nope', '--log-level=1'], /^nope=true: lifecycle-manager has no such argument$/m, 1],
  [
    'the Istio module',
    ['--reconciliation-interval=2h'],
    /^Arguments of the Kyma Istio module:\n.*-interval=2h of the host/m,
    0,
  ],
  ['a level of zap', ['--zap-log-level=2', '--zap-devel'], /zap-log-level=2: --log-level=debug of the host/, 0],
  ['a number below zero', ['--log-level', '-1'], /^log-level=-1: --log-level=warn of the host$/m, 0],
  ['an unknown one with a secret', ['--api-token=hush', '--log-level=1'], /^api-token=\(redacted\): lifecycle-m/m, 1],
  [
    'an address with a user, which our setting refuses',
    ['--self-signed-cert-duration=https://robot:hush@r.example'],
    /^self-signed-cert-duration=https:\/\/\*\*\*@r\.example: --kyma-certificate-duration of the host, by hand: "https:\/\/\*\*\*@r\.example" does not fit/m,
    1,
  ],
  [
    'secrets within the value of an argument by hand',
    ['--skr-watcher-image-tag={"password":"hush"} eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
    /^skr-watcher-image-tag="\{\\"password\\":\\"\(redacted\)\\"\} \(redacted\)": --kyma-agent-image of the host, by hand/m,
    1,
  ],
  ['a variable', ['--skr-image-pull-secret=$(PULL)'], /by hand: a variable of the container has the value/, 1],
]

t.test('SEE-60 each argument behind -- becomes an argument of ours, or a reason', async t => {
  for (const [title, args, becomes, code] of lines) {
    const { out, fault, code: found } = await check('--', ...args)
    t.strictSame([found, fault], [code, ''], title)
    matches(t, unfolded(out), becomes, title)
  }
  matches(t, await check('--', 'word'), {
    code: 2,
    fault: /expected arguments such as --log-level=1 after --, found word/,
  })
  matches(t, await check('--arguments-of', 'x', '--', '--log-level=1'), { code: 2, fault: /exclude each other/ })
})

t.test('SEE-60 the values for the chart are arguments with which host and relay start', async t => {
  const registry = ['--oci-registry-host=http://k3d.localhost:5000/', '--modules-repository-subpath=a/b']
  const { out } = await check('--', ...registry, '--log-level=1', '--leader-election-lease-duration=20s')
  const values = valuesIn(out)
  t.strictSame(values, {
    host: {
      extraArgs: [
        '--kyma-registry=k3d.localhost:5000/a/b',
        '--plain-registries=k3d.localhost:5000',
        '--log-level=info',
      ],
    },
    relay: { extraArgs: ['--log-level=info', '--lease-seconds=20'] },
  })
  const { host, relay } = values as Record<'host' | 'relay', { extraArgs: string[] }>
  matches(t, starts('host', host.extraArgs), { is: 'settings', settings: { kymaRegistry: 'k3d.localhost:5000/a/b' } })
  matches(t, starts('relay', relay.extraArgs), { is: 'settings', settings: { leaseSeconds: 20 } })
  const https = await check('--', '--oci-registry-host=https://r.example')
  t.strictSame(valuesIn(https.out), { host: { extraArgs: ['--kyma-registry=r.example'] } })
  const { out: data } = await check('-o', 'json', '--', '--log-level=1')
  matches(t, JSON.parse(data), {
    operator: 'lifecycle-manager',
    arguments: [{ is: 'set', to: 'info', program: 'host' }, { program: 'relay' }],
  })
})

t.test('SEE-60 a row without a function of its own keeps the value, and its setting takes it', t => {
  const durations = Object.values(argumentTables)
    .flat()
    .flatMap(row => ('none' in row || row.value || !row.setting ? [] : [row.setting]))
    .filter(({ shape }) => shape.says.startsWith('a duration'))
  t.ok(durations.length > 10)
  for (const { shape, env } of durations) t.ok(shape.read('5h0m0s'), env)
  t.end()
})

t.test('SEE-60 no argument becomes a line or a value of another one', async t => {
  const evil = 'a\n    - --callers=system:anonymous\nlog-level=1: --log-level=info'
  const { out } = await check('--', `--restricted-default-modules=${evil}`, `--x\ny=${evil}\u001b[2J`)
  t.strictSame(valuesIn(out), { host: { extraArgs: [`--kyma-restricted-modules=${evil}`] } })
  const [shown = ''] = out.split('\nValues')
  t.equal(unfolded(shown).trim().split('\n').length, 3, out)
  lacks(t, out, '\u001b')
  t.ok(
    shown.split('\n').every(line => !line.startsWith('log-level')),
    out,
  )
})

const cluster = await anyCluster(t)
const client = clientTo(t, cluster)
const kubeconfig = join(testFolder(t), 'kubeconfig')
writeFileSync(kubeconfig, cluster.kubeconfig)
const { namespace } = cluster
const inCluster = ['--kubeconfig', kubeconfig, '-n', namespace]

const create = (object: object) => client.create(object as KubeObject, { fieldManager: 'person' })

const deploy = (name: string, containers: readonly object[], volumes: readonly object[] = []) =>
  create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers, volumes } },
    },
  })

t.test('SEE-61 the arguments of a Deployment: its command, its container among sidecars, its variables', async t => {
  const env = [{ name: 'PULL', value: 'pull' }]
  const command = ['/manager', '--kyma-requeue-success-interval=5m']
  const args = ['--skr-image-pull-secret=$(PULL)', '--restricted-default-modules=$(NO)', '--leader-elect']
  await deploy('klm-controller-manager', [
    { name: 'istio-proxy', image: 'proxy', args: ['proxy'] },
    { name: 'manager', image: 'r.example/lifecycle-manager:1', command, args, env },
  ])
  const { out, code, fault } = await check('--arguments-of', 'deployment/klm-controller-manager', ...inCluster)
  t.strictSame([code, fault], [1, ''])
  for (const text of [
    'Arguments of lifecycle-manager:',
    'interval=5m: --kyma-requeue-ready=5m of the host',
    'skr-image-pull-secret=pull: --kyma-pull-secret=pull of the host',
    'restricted-default-modules=$(NO): --kyma-restricted-modules of the host, by hand: a variable',
    'leader-elect=true: none',
  ])
    contains(t, unfolded(out), text)
  const secret = { name: 'TOKEN', value: 'hush-hush' }
  const telling = ['--skr-image-pull-secret=$(TOKEN)', '--pprof-bind-address=$(TOKEN)', '--db-password=hush-hush']
  await deploy('lifecycle-manager', [
    {
      name: 'manager',
      image: 'r.example/lifecycle-manager:1',
      args: [...telling, '--nope', '$(TOKEN)'],
      env: [secret],
    },
  ])
  for (const output of [[], ['-o', 'json']]) {
    const { out: told, fault } = await check('--arguments-of', 'lifecycle-manager', ...inCluster, ...output)
    t.equal(fault, '')
    contains(t, told, '$(TOKEN)')
    contains(t, told, '(redacted)')
    lacks(t, told, 'hush')
  }
  matches(t, await check('--arguments-of', 'gone', ...inCluster), {
    code: 2,
    fault: /Deployment .*gone does not exist/,
  })
  await deploy('istio-controller-manager', [{ name: 'manager', image: 'x' }])
  matches(t, await check('--arguments-of', 'istio-controller-manager', ...inCluster), {
    code: 0,
    out: /^Arguments of the Kyma Istio module:\nnone\n$/,
  })
})

const configuration = {
  apiVersion: 'operator.config.gardener.cloud/v1alpha1',
  kind: 'OperatorConfiguration',
  logLevel: 'debug',
  leaderElection: { leaderElect: true },
  runtimeClientConnection: { qps: 100, kubeconfig: '/k' },
  featureGates: { DefaultSeccompProfile: true, HVPA: false },
  controllers: {
    garden: { syncPeriod: '2h', concurrentSyncs: 1 },
    gardenCare: { syncPeriod: '2m', conditionThresholds: [{ type: 'RuntimeComponentsHealthy', duration: '1m30s' }] },
    networkPolicy: {
      additionalNamespaceSelectors: [
        { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d', 'e'] }] },
        { matchExpressions: [{ key: 'f', operator: 'DoesNotExist' }] },
      ],
    },
    nope: { at: 1 },
  },
}

t.test('SEE-61 the fields of the file that gardener-operator mounts are translated as arguments are', async t => {
  const data = { 'config.yaml': JSON.stringify(configuration) }
  await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'operator', namespace }, data })
  const container = (path: string) => ({
    name: 'gardener-operator',
    image: 'x',
    args: [`--config=${path}`],
    volumeMounts: [{ name: 'config', mountPath: '/etc/operator' }],
  })
  const volumes = [{ name: 'config', configMap: { name: 'operator' } }]
  await deploy('gardener-operator', [container('/etc/operator/config.yaml')], volumes)
  const { out, code, fault } = await check('--arguments-of', 'gardener-operator', ...inCluster)
  t.strictSame([code, fault], [1, ''])
  t.strictSame(valuesIn(out), {
    host: {
      extraArgs: [
        '--log-level=debug',
        '--garden-feature-gates=DefaultSeccompProfile',
        '--garden-sync-seconds=7200',
        '--garden-care-seconds=120',
        '--garden-condition-thresholds=RuntimeComponentsHealthy=90',
        '--garden-namespace-selectors=a=b,c in (d,e);!f',
      ],
    },
    relay: { extraArgs: ['--log-level=debug'] },
  })
  for (const text of [
    'controllers.nope.at=1: gardener-operator has no such argument',
    'runtimeClientConnection.kubeconfig=/k: --kubeconfig of the host, by hand',
    'controllers.garden.concurrentSyncs=1: none, `concurrency` of `garden-reconcile`',
  ])
    contains(t, unfolded(out), text)
  t.equal(out.match(/^leaderElection=/gm)?.length, 1, 'a map with one reason is one line')
  const nested = [
    { name: 'other', mountPath: '/etc' },
    { name: 'config', mountPath: '/etc/one.yaml', subPath: 'config.yaml' },
  ]
  const alone = { ...container('/etc/one.yaml'), image: 'r.example/gardener/operator:v1', volumeMounts: nested }
  const other = { name: 'other', configMap: { name: 'nothing' } }
  await deploy('one-file-gardener', [alone], [other, ...volumes])
  const oneFile = await check('--arguments-of', 'one-file-gardener', ...inCluster)
  t.equal(oneFile.fault, '')
  contains(t, oneFile.out, '--garden-sync-seconds=7200')
  const below = [
    { name: 'other', mountPath: '/etc' },
    { name: 'config', mountPath: '/etc/operator' },
  ]
  const deep = { ...alone, args: ['--config=/etc/operator/config.yaml'], volumeMounts: below }
  await deploy('deep-gardener', [deep], [other, ...volumes])
  contains(t, (await check('--arguments-of', 'deep-gardener', ...inCluster)).out, '--garden-sync-seconds=7200')
  await deploy('elsewhere-gardener', [{ ...container('/var/x'), image: 'r.example/gardener/operator:v1' }], volumes)
  const missing = await check('--arguments-of', 'elsewhere-gardener', ...inCluster)
  matches(t, missing, { code: 2, fault: /no ConfigMap is mounted for --config=\/var\/x/ })
  await deploy(
    'other-gardener',
    [{ ...container('/etc/operator/x'), image: 'r.example/gardener/operator:v1' }],
    volumes,
  )
  const lost = await check('--arguments-of', 'other-gardener', ...inCluster)
  matches(t, lost, { code: 2, fault: /ConfigMap .*\/operator has no file for --config=\/etc\/operator\/x/ })
})

t.test('SEE-61 a feature gate of gardener-operator that Espalier has not is no argument', async t => {
  const file = (featureGates: object): [string, string] => ['featureGates', JSON.stringify(featureGates)]
  const answer = (featureGates: object) => translated(new Map([file(featureGates)]), 'gardener-operator')
  const flag = '--garden-feature-gates'
  matches(t, answer({ DefaultSeccompProfile: true, HVPA: false }), [{ is: 'set', flag, to: 'DefaultSeccompProfile' }])
  const says = 'names of enabled feature gates; Espalier has only DefaultSeccompProfile'
  for (const featureGates of [{ HVPA: true }, { DefaultSeccompProfile: true, HVPA: true }])
    matches(t, answer(featureGates), [{ is: 'by hand', flag, says }])
})

t.test('SEE-62 check names the command for each Go operator that runs', async t => {
  const { out } = await check('--kubeconfig', kubeconfig)
  const says = `espalier check --arguments-of klm-controller-manager -n ${namespace} translates its arguments`
  contains(t, out.replaceAll(/\n {9}/g, ' '), says)
})
