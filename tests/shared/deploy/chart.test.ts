// The chart as helm renders it. tests/cluster/chart.test.ts installs it.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { textShape } from '../../../shared/core/settings/shapes.ts'
import { acceptedLandscape, readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { writtenManifests, writtenTexts } from '../../../shared/deploy/manifests/manifest-files.ts'
import { deployManifests } from '../../../shared/deploy/manifests/manifests.ts'
import { withVariables } from '../../../shared/main/function-settings.ts'
import { ownChart, ownChartLinks, ownKinds } from '../../../shared/main/own/own-manifests.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { briefly, oracles } from '../../harness/oracles.ts'

const project = join(import.meta.dirname, '..', '..', '..')
const { helm, kubectl } = await oracles()

type Result = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

const run = (program: string, ...args: string[]): Promise<Result> =>
  new Promise(resolve =>
    execFile(
      program,
      args,
      { cwd: project, env: { ...process.env, ...briefly }, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )

const template = (values: object, namespace = 'espalier-system', chart = 'manifests/helm'): Promise<Result> => {
  const set = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`])
  return run(helm, 'template', 'espalier', chart, '-n', namespace, ...set)
}

const objectsIn = (text: string): KubeObject[] =>
  parseAllDocuments(text, { version: '1.1' }).flatMap(document => (document.toJS() as KubeObject | null) ?? [])

const rendered = async (values: object, namespace?: string, chart?: string): Promise<KubeObject[]> => {
  const { code, stdout, stderr } = await template(values, namespace, chart)
  if (code !== 0) throw new Error(stderr)
  return objectsIn(stdout)
}

const byName = (objects: readonly KubeObject[]): Record<string, KubeObject> =>
  Object.fromEntries(
    objects
      .map((object): [string, KubeObject] => [nameOf(object), object])
      .sort(([one], [other]) => one.localeCompare(other)),
  )

const nameOf = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  [kind, namespace, name].filter(Boolean).join(' ')

/** But the Namespace, which helm makes; `helm test`; the policy for tenants; and the mark by which helm keeps a definition. */
const comparable = (objects: readonly KubeObject[]): Record<string, KubeObject> =>
  byName(
    objects
      .filter(({ kind }) => kind !== 'Namespace' && !kind.startsWith('ValidatingAdmissionPolicy'))
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined)
      .map(object => (object.kind === 'CustomResourceDefinition' ? withoutMark(object) : object)),
  )

const withoutMark = ({ metadata: { annotations, ...metadata }, ...object }: KubeObject): KubeObject => {
  t.strictSame(annotations ?? keep, keep)
  return { ...object, metadata } as KubeObject
}

const keep = { 'helm.sh/resource-policy': 'keep' }

t.test(
  'FN-85 with default values the chart renders what manifests/deploy holds, and per function likewise',
  async t => {
    const release = t.testdir()
    await run(process.execPath, 'shared/main/generate.ts', '--into', release)
    const layouts: [values: object, folder: string][] = [
      [{}, 'manifests/deploy'],
      [{ mode: 'perFunction' }, join(release, 'deploy/per-function')],
    ]
    for (const [values, folder] of layouts) {
      const built = objectsIn((await run(kubectl, 'kustomize', folder)).stdout)
      t.ok(built.length > 100)
      t.strictSame(comparable(await rendered(values)), comparable(built), folder)
    }
    const definitions = (await rendered({})).filter(({ kind }) => kind === 'CustomResourceDefinition')
    for (const { metadata } of definitions) t.strictSame(metadata.annotations, keep)
  },
)

/** The folder of the generated manifests of examples/redis, which includes functions of Espalier. */
const ownManifests = async (
  into: string,
  include = 'webhook-certificate, component',
  provider = '',
  access = '    access:',
): Promise<string> => {
  const folder = join(project, 'examples', 'redis')
  const text = readFileSync(join(folder, 'serverless.yml'), 'utf8')
  const file = join(into, 'serverless.yml')
  const elsewhere = "- { apiGroups: [''], resources: [configmaps], verbs: [get], namespaces: [shared] }"
  const changed = text
    .replace('include: [webhook-certificate]', `include: [${include}]`)
    .replace('provider:\n', () => `provider:\n${provider}`)
    .replace('    access:\n', () => `${access}\n      ${elsewhere}\n`)
  writeFileSync(file, changed)
  const given = readLandscape(file, () => true, readLandscape(join(project, 'serverless.yml')))
  const word = { sentence: 'A word', shape: textShape('a word') }
  const landscape = withVariables(given, [{ name: 'redis', settings: { word } }])
  const kinds = await ownKinds(folder, landscape)
  writtenManifests(join(into, 'manifests'), deployManifests(landscape, '1.2.3', kinds), false)
  writtenTexts(into, ownChart({ landscape, version: '1.2.3', kinds }), false)
  t.ok(ownChartLinks(into, false).length > 2)
  t.strictSame(ownChartLinks(into, true), [], 'links that are made are as they should be')
  return join(into, 'manifests')
}

t.test(
  "FW-06 the chart of an operator of one's own renders what its manifests/deploy holds, and takes its values",
  async t => {
    const manifests = await ownManifests(t.testdir())
    const chart = join(manifests, 'helm')
    const [namespace, all] = ['redis-operator-system', { 'tenantPolicy.enabled': false }]
    const layouts: [values: object, layout: string][] = [
      [all, 'deploy'],
      [{ ...all, mode: 'perFunction' }, 'deploy/per-function'],
    ]
    for (const [values, layout] of layouts) {
      const built = objectsIn((await run(kubectl, 'kustomize', join(manifests, layout))).stdout)
      t.ok(built.length > 20)
      t.strictSame(comparable(await rendered(values, namespace, chart)), comparable(built), layout)
    }
    const values = { functions: ['redis'], namespaces: ['shared'], 'aggregatedRoles.enabled': true }
    const some = byName(await rendered(values, 'platform', chart))
    const names = Object.keys(some).join('\n')
    contains(t, names, 'CustomResourceDefinition redis.cache.cs.sap.com')
    lacks(t, names, /component/)
    lacks(t, JSON.stringify(some), /redis-operator-system|"espalier-(host|relay|redis|view)/)
    t.ok(some['ClusterRoleBinding redis-operator-host-redis'])
    t.ok(some['Role shared redis-operator-redis'], 'roles in a namespace of others')
    for (const role of ['redis', 'relay-redis', 'view', 'edit']) t.ok(some[`ClusterRole redis-operator-${role}`], role)
    const data = some['ConfigMap platform landscape']?.data
    const landscape = isMap(data) ? parse(String(data['serverless.yml'])) : {}
    t.ok(acceptedLandscape(landscape, () => true, 'serverless.yml'))
    t.strictSame(
      [Object.keys(landscape.functions).sort(), landscape.include],
      [['redis', 'webhook-certificate'], undefined],
    )
    matches(t, (await template({ 'watcher.eventsService': true }, namespace, chart)).stderr, /'watcher' not allowed/)
  },
)

t.test('FN-170 a function comes with what it needs and nothing else', async t => {
  const objects = byName(
    await rendered({ functions: ['kyma'], 'tenantPolicy.enabled': true, namespaces: ['kcp-system'] }),
  )
  const names = Object.keys(objects)
  t.strictSame(
    names.filter(name => name.startsWith('CustomResourceDefinition')),
    ['kymas', 'manifests', 'modulereleasemetas', 'moduletemplates', 'watchers'].map(
      plural => `CustomResourceDefinition ${plural}.operator.kyma-project.io`,
    ),
  )
  t.strictSame(
    names.filter(name => name.startsWith('Service ')),
    ['kyma', 'relay', 'webhook-certificate'].map(name => `Service espalier-system ${name}`),
  )
  lacks(t, names.join('\n'), /Webhook|AdmissionPolicy|-(component|istio|garden)/)
  matches(t, objects['Deployment espalier-system host'], {
    spec: {
      template: {
        metadata: { annotations: { 'checksum/landscape': /^[0-9a-f]{64}$/ } },
      },
    },
  })
  matches(t, Object.keys(objects['ConfigMap espalier-system relay-routes']?.data ?? {}), [
    'kyma',
    'webhook-certificate',
  ])
  contains(t, JSON.stringify(objects[host]), '"name":"ESPALIER_FUNCTIONS","value":"kyma,webhook-certificate"')
  lacks(t, JSON.stringify(objects['ClusterRole espalier-relay-kyma']), '"*"', 'the relay needs less, too')
  for (const name of ['kyma', 'relay-kyma', 'host-kyma'])
    t.ok(objects[`RoleBinding kcp-system espalier-${name}`], `${name} has its role in the namespace that was named`)
  lacks(t, names.join('\n'), / istio-system espalier/, 'and not where there may be no namespace')
})

t.test(
  'KY-324 KY-325 the functions of Kyma have no right to everything until a value grants manifest that',
  async t => {
    const everything = (objects: readonly KubeObject[]) =>
      objects
        .filter(({ kind, rules }) => kind.endsWith('Role') && JSON.stringify(rules).includes('"*"'))
        .map(({ metadata }) => metadata.name)
    const bound = (objects: readonly KubeObject[]) =>
      objects
        .filter(({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name.includes('granted'))
        .flatMap(({ subjects }) => (subjects as { name: string }[]).map(({ name }) => name))
    const values = { functions: ofKyma, namespaces: ['kcp-system', 'istio-system'] }
    const granting = { ...values, 'manifest.ownCluster': true }
    t.strictSame(everything(await rendered(values)), [])
    t.strictSame(everything(await rendered(granting)), ['espalier-granted-manifest', 'espalier-relay-granted-manifest'])
    t.strictSame(bound(await rendered(granting)), ['manifest', 'host', 'relay'])
    t.strictSame(bound(await rendered({ ...granting, mode: 'perFunction' })), ['manifest', 'relay'])
    t.strictSame(bound(await rendered({ functions: ['kyma'], 'manifest.ownCluster': true })), [])
  },
)

t.test('KY-327 the Service that Watchers of lifecycle-manager name leads to our listener', async t => {
  const name = 'Service kcp-system klm-controller-manager-events'
  const values = { functions: ofKyma, 'watcher.eventsService': true }
  const objects = byName(await rendered({ ...values, namespaces: ['kcp-system'] }, 'platform'))
  matches(t, objects[name]?.spec, {
    type: 'ExternalName',
    externalName: 'runtime-events.platform.svc.cluster.local',
    ports: [{ port: 8082 }],
  })
  const ports = [443, 8082].map(port => ({ port, targetPort: 10_443, protocol: 'TCP' }))
  matches(t, objects['Service platform runtime-events']?.spec, { ports })
  for (const others of [{ namespaces: [] }, { functions: ['kyma'] }, { 'watcher.eventsService': false }])
    t.equal(byName(await rendered({ ...values, namespaces: ['kcp-system'], ...others }))[name], undefined)
})

const ofKyma = [
  'kyma',
  'mandatory-modules-install',
  'mandatory-modules-delete',
  'manifest',
  'purge',
  'watcher',
  'gateway-certificate',
  'runtime-certificate',
  'runtime-events',
]

t.test('FN-170 in another namespace, programs get a serverless.yml for it', async t => {
  const objects = byName(await rendered({}, 'platform'))
  lacks(t, JSON.stringify(objects), 'espalier-system')
  const data = objects['ConfigMap platform landscape']?.data
  const text = isMap(data) ? String(data['serverless.yml']) : ''
  const landscape = acceptedLandscape(parseAllDocuments(text)[0]?.toJS(), () => true, 'serverless.yml')
  t.equal(landscape.provider.namespace, 'platform')
  for (const name of ['host', 'relay'])
    contains(t, JSON.stringify(objects[`Deployment platform ${name}`]), '/etc/espalier/landscape/serverless.yml')
})

t.test('FW-06 the chart of an operator keeps the hosts of remote clusters that its serverless.yml allows', async t => {
  const remotes = `  remotes:
    runtimes:
      namespace: kcp-system
      optionalLabels: {}
      nameLabel: operator.kyma-project.io/kyma-name
      kubeconfigKey: config
      allowedHosts: ['*.example.com']
`
  const manifests = await ownManifests(t.testdir(), 'webhook-certificate, manifest', remotes)
  const hostsIn = async (values: object) => {
    const objects = byName(await rendered(values, 'platform', join(manifests, 'helm')))
    const data = objects['ConfigMap platform landscape']?.data
    return (isMap(data) ? parse(String(data['serverless.yml'])) : {}).provider.remotes.runtimes.allowedHosts
  }
  t.strictSame(await hostsIn({}), ['*.example.com'])
  t.strictSame(await hostsIn({ 'runtimes.allowedHosts': ['*'] }), ['*'])
  matches(t, (await template({ 'runtimes.allowedHosts': [] })).stderr, /allowedHosts.*(minItems|at least 1|Must have)/i)
})

t.test('FW-34 texts of serverless.yml are no YAML and no template, whatever they hold', async t => {
  const hostile =
    'x"\'\\n---\napiVersion: v1\nkind: Secret\nmetadata: { name: planted }\n# {{ fail "y" }} $(HOME) $$(HOME) 5$$ | ` -->'
  const namesWith = async (given: string): Promise<string[]> => {
    const text = JSON.stringify(given)
    const remotes = `  remotes:
    runtimes:
      namespace: kcp-system
      optionalLabels: { team: ${text} }
      nameLabel: operator.kyma-project.io/kyma-name
      kubeconfigKey: ${text}
      allowedHosts: [${text}]
`
    const named = `\n      - { apiGroups: [${text}], resources: [${text}], resourceNames: [${text}], verbs: [get], namespaces: [shared] }`
    const settingsAndAccess = `    settings: { word: ${text} }\n    access:${named}`
    const manifests = await ownManifests(t.testdir(), 'webhook-certificate, manifest', remotes, settingsAndAccess)
    const [chart, perFunction, built] = await Promise.all([
      rendered({}, 'platform', join(manifests, 'helm')),
      rendered({ mode: 'perFunction', namespaces: ['shared'] }, 'redis-operator-system', join(manifests, 'helm')),
      run(kubectl, 'kustomize', join(manifests, 'deploy')).then(({ stdout }) => objectsIn(stdout)),
    ])
    t.ok(built.length > 20)
    contains(
      t,
      JSON.stringify(chart),
      JSON.stringify(given.replaceAll('$', () => '$$')).slice(1, -1),
      'it is passed on',
    )
    return [chart, perFunction, built].flatMap(objects => objects.map(nameOf))
  }
  t.strictSame(await namesWith(hostile), await namesWith('plain'))
})

t.test('KY-340 a value says which hosts access Secrets of runtimes may lead to', async t => {
  const hosts = ['*.example.com', '127.0.0.1']
  const data = byName(await rendered({ 'runtimes.allowedHosts': hosts }))['ConfigMap espalier-system landscape']?.data
  const text = isMap(data) ? String(data['serverless.yml']) : ''
  const { provider } = acceptedLandscape(parseAllDocuments(text)[0]?.toJS(), () => true, 'serverless.yml')
  t.strictSame(provider.remotes?.runtimes?.allowedHosts, hosts)
  lacks(t, JSON.stringify(await rendered({ 'runtimes.allowedHosts': ['*'] })), 'ESPALIER_LANDSCAPE', 'as built in')
})

t.test('RE-105 a value says that the relay does not watch runtimes', async t => {
  const landscapeOf = async (values: object) => {
    const data = byName(await rendered(values))['ConfigMap espalier-system landscape']?.data
    const text = isMap(data) ? String(data['serverless.yml']) : ''
    return acceptedLandscape(parseAllDocuments(text)[0]?.toJS(), () => true, 'serverless.yml').provider
  }
  const provider = await landscapeOf({ 'runtimes.watched': false })
  t.equal(provider.remotes?.runtimes?.watched, false)
  const hosts = { 'runtimes.watched': true, 'runtimes.allowedHosts': ['*.example.com'] }
  t.equal((await landscapeOf(hosts)).remotes?.runtimes?.watched, undefined)
  lacks(t, JSON.stringify(await rendered({ 'runtimes.watched': true })), 'ESPALIER_LANDSCAPE', 'as built in')
})

t.test('CO-127 CO-126 what kubeconfigs of Components may do is said by values', async t => {
  const allowed = { 'component.kubeConfigHosts': ['*.example.com'], 'component.kubeConfigLookups': true }
  const data = byName(await rendered(allowed))['ConfigMap espalier-system landscape']?.data
  const text = isMap(data) ? String(data['serverless.yml']) : ''
  const { functions } = acceptedLandscape(parseAllDocuments(text)[0]?.toJS(), () => true, 'serverless.yml')
  const inventories = functions.component?.events.flatMap(event => ('inventory' in event ? event.inventory : []))
  const hosts = { kubeConfigHosts: ['*.example.com'], kubeConfigLookups: true }
  matches(t, inventories?.[0], hosts)
  lacks(t, JSON.stringify(inventories?.slice(1)), 'kubeConfigHosts')
  lacks(t, JSON.stringify(await rendered({})), 'ESPALIER_LANDSCAPE', 'else the one that was built in')
})

const digest = `sha256:${'a'.repeat(64)}`

t.test('FN-171 each value changes what it says', async t => {
  const cases: [values: object, wanted: [name: string, wanted: unknown][]][] = [
    [
      {
        'image.digest': digest,
        'image.pullPolicy': 'Always',
        'image.pullSecrets': [{ name: 's' }],
        'host.replicas': 5,
        'host.priorityClassName': 'high',
        'host.nodeSelector': { a: 'b' },
        'host.tolerations': [{ key: 'a' }],
        'host.affinity': { nodeAffinity: {} },
        'host.podLabels': { a: 'b' },
        'host.podAnnotations': { a: 'b' },
        'host.extraVolumes': [{ name: 'v' }],
        'relay.resources': { limits: { memory: '1Gi' } },
        'relay.extraArgs': ['--shards', '4'],
        'relay.extraVolumes': [{ name: 'v' }],
        'relay.extraVolumeMounts': [{ name: 'v', mountPath: '/v' }],
        commonLabels: { c: 'd' },
        commonAnnotations: { a: 'b' },
        'aggregatedRoles.enabled': true,
        namespaces: ['garden'],
      },
      [
        [
          host,
          {
            metadata: { labels: { c: 'd' }, annotations: { a: 'b' } },
            spec: {
              replicas: 5,
              template: {
                metadata: { labels: { a: 'b', c: 'd' }, annotations: { a: 'b' } },
                spec: {
                  containers: [{ image: `espalier@${digest}`, imagePullPolicy: 'Always' }],
                  imagePullSecrets: [{ name: 's' }],
                  priorityClassName: 'high',
                  nodeSelector: { a: 'b' },
                  tolerations: [{ key: 'a' }],
                  affinity: { nodeAffinity: {} },
                  volumes: [{ name: 'token' }, { name: 'v' }],
                },
              },
            },
          },
        ],
        [
          relay,
          {
            spec: {
              replicas: 2,
              template: {
                spec: {
                  nodeSelector: undefined,
                  containers: [
                    {
                      args: [String, String, '--shards', '4'],
                      resources: { limits: { memory: '1Gi' }, requests: undefined },
                      volumeMounts: [Object, Object, Object, { name: 'v', mountPath: '/v' }],
                    },
                  ],
                },
              },
            },
          },
        ],
        ['ClusterRole espalier-kyma', { metadata: { labels: { c: 'd' } } }],
        [definition, { metadata: { labels: { c: 'd' }, annotations: { a: 'b', ...keep } } }],
        [
          'ClusterRole espalier-edit',
          { metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } } },
        ],
        ['RoleBinding garden espalier-host-garden-care', { roleRef: { kind: 'Role' } }],
        ['ValidatingAdmissionPolicyBinding components-of-tenants', { spec: { validationActions: ['Deny'] } }],
        ['PodDisruptionBudget espalier-system host', { kind: String }],
      ],
    ],
    [
      {
        'image.tag': 'edge',
        'image.repository': 'r.io/e',
        'host.topologySpread': false,
        'host.podDisruptionBudget': false,
        'host.extraEnv': [debug],
        'crds.keep': false,
        'networkPolicy.enabled': false,
        'tenantPolicy.enabled': false,
      },
      [
        [
          host,
          {
            spec: {
              template: { spec: { topologySpreadConstraints: undefined, containers: [{ image: 'r.io/e:edge' }] } },
            },
          },
        ],
        ['PodDisruptionBudget espalier-system host', undefined],
        ['PodDisruptionBudget espalier-system relay', { kind: String }],
        [definition, { metadata: { annotations: undefined } }],
        ['NetworkPolicy espalier-system nothing-else', undefined],
        ['ValidatingAdmissionPolicy components-of-tenants', undefined],
        ['ClusterRole espalier-edit', undefined],
        ['RoleBinding garden espalier-host-garden-care', undefined],
      ],
    ],
    [{ 'crds.enabled': false }, [[definition, undefined]]],
  ]
  for (const [values, wanted] of cases) {
    const objects = byName(await rendered(values))
    for (const [name, fields] of wanted)
      if (fields === undefined) t.equal(objects[name], undefined, `${name} with ${JSON.stringify(values)}`)
      else matches(t, objects[name], fields, name)
    const hasDebug = JSON.stringify(objects[host]).includes(JSON.stringify(debug))
    t.equal(hasDebug, 'host.extraEnv' in values, 'extraEnv')
  }
  const view = byName(await rendered({ functions: ['component'], 'aggregatedRoles.enabled': true }))
  t.strictSame(view['ClusterRole espalier-view']?.rules, [
    { apiGroups: ['core.espalier.dev'], resources: ['components'], verbs: ['get', 'list', 'watch'] },
  ])
})

const debug = { name: 'ESPALIER_LOG_LEVEL', value: 'debug' }
const [host, relay] = ['Deployment espalier-system host', 'Deployment espalier-system relay']
const definition = 'CustomResourceDefinition components.core.espalier.dev'

t.test('FN-175 the Prometheus operator finds every Pod of ours by a port that it has', async t => {
  const values = { 'podMonitor.enabled': true, 'podMonitor.labels': { release: 'prometheus' }, mode: 'perFunction' }
  const objects = await rendered(values, 'platform')
  const spec = byName(objects)['PodMonitor platform espalier']?.spec
  matches(t, byName(objects)['PodMonitor platform espalier'], {
    metadata: { labels: { release: 'prometheus' } },
    spec: { podMetricsEndpoints: [{ port: 'probes', interval: '30s', honorLabels: true }, { port: 'relay' }] },
  })
  const { selector, podMetricsEndpoints } = spec as MonitorSpec
  const deployments = objects.filter(({ kind }) => kind === 'Deployment')
  t.ok(deployments.length > 15)
  for (const { metadata, spec } of deployments) {
    const { template } = spec as DeploymentSpec
    matches(t, template.metadata.labels, selector.matchLabels, metadata.name)
    const scraped = (template.spec.containers[0]?.ports ?? []).filter(port =>
      podMetricsEndpoints.some(endpoint => endpoint.port === port.name),
    )
    t.strictSame(
      scraped.map(({ containerPort }) => containerPort),
      [8080],
      `${metadata.name} is scraped at one port, which the policy "metrics" opens`,
    )
  }
  const asDefault = Object.keys(byName(await rendered({})))
  lacks(t, asDefault.join(), /PodMonitor|FlowSchema/, 'neither is there by default')
})

type MonitorSpec = {
  selector: { matchLabels: Record<string, string> }
  podMetricsEndpoints: { port: string }[]
}
type DeploymentSpec = {
  template: {
    metadata: { labels: Record<string, string> }
    spec: { containers: { ports: { name: string; containerPort: number }[] }[] }
  }
}

t.test('FN-180 the chart says of itself what Artifact Hub shows', t => {
  const { annotations } = parse(readFileSync(join(project, 'manifests/helm/Chart.yaml'), 'utf8'))
  const kinds = parse(annotations['artifacthub.io/crds'])
  matches(t, kinds[0], {
    kind: 'Component',
    version: 'v1alpha1',
    name: 'components.core.espalier.dev',
    description: /./,
  })
  t.strictSame(
    kinds.map(({ name }: { name: string }) => name).sort(),
    readdirSync(join(project, 'manifests/crds'))
      .flatMap(file => {
        const [group, plural] = file.replace('.yaml', '').split('_')
        return plural ? [`${plural}.${group}`] : []
      })
      .sort(),
  )
  t.end()
})

t.test('FN-177 alert rules and dashboards come as the files of manifests/monitoring hold them', async t => {
  const folder = join(project, 'manifests', 'monitoring')
  const objects = await rendered(
    { 'prometheusRule.enabled': true, 'prometheusRule.labels': { release: 'prometheus' }, 'dashboards.enabled': true },
    'platform',
  )
  matches(t, byName(objects)['PrometheusRule platform espalier'], { metadata: { labels: { release: 'prometheus' } } })
  t.strictSame(
    byName(objects)['PrometheusRule platform espalier']?.spec,
    parse(readFileSync(join(folder, 'rules.yaml'), 'utf8')),
  )
  const files = readdirSync(join(folder, 'dashboards'))
  t.ok(files.length === 6)
  for (const file of files) {
    const found = byName(objects)[`ConfigMap platform dashboard-${file.replace('.json', '')}`]
    matches(t, found, { metadata: { labels: { grafana_dashboard: '1' } } })
    t.strictSame(found?.data, { [`espalier-${file}`]: readFileSync(join(folder, 'dashboards', file), 'utf8') })
  }
  lacks(t, Object.keys(byName(await rendered({}))).join(), /PrometheusRule|dashboard-/, 'neither is there by default')
})

t.test('FN-176 a FlowSchema is for the accounts of the release alone', async t => {
  const objects = byName(await rendered({ 'flowSchema.enabled': true, 'flowSchema.matchingPrecedence': 7 }, 'platform'))
  matches(t, objects['FlowSchema platform-programs']?.spec, {
    matchingPrecedence: 7,
    priorityLevelConfiguration: { name: 'workload-high' },
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'platform', name: '*' } }] }],
  })
})

t.test('FN-172 values that cannot be are refused with a sentence', async t => {
  const cases: [values: object, sentence: RegExp][] = [
    [{ functions: ['kima'] }, /functions: there is no function "kima"; there are component, garden-admission, /],
    [{ 'image.tag': 'a', 'image.digest': digest }, /image: tag "a" and digest "sha256:a+" are both set/],
    [{ 'image.digest': 'sha256:1' }, /\/image\/digest'?: .*does not match pattern/s],
    [
      { 'host.extraEnv': [{ name: 'ESPALIER_LISTEN', value: 'x' }] },
      /extraEnv: ESPALIER_LISTEN is set by the chart itself/,
    ],
    [
      { 'aggregatedRoles.enabled': true, 'tenantPolicy.enabled': false },
      /enable tenantPolicy or leave aggregatedRoles/,
    ],
    [
      { 'host.extraEnv': [{ name: 'ESPALIER_LANDSCAPE', value: 'x' }], functions: ['kyma'] },
      /extraEnv: ESPALIER_LANDSCAPE is set by the chart itself/,
    ],
    [{ 'relay.extraEnv': [debug, debug] }, /extraEnv: ESPALIER_LOG_LEVEL is set by the chart itself, or twice/],
    [{ 'relay.extraVolumes': [{ name: 'token' }] }, /extraVolumes: relay has a volume "token" already/],
    [
      { 'host.extraVolumeMounts': [{ name: 'v', mountPath: '/v' }] },
      /extraVolumeMounts: host has no volume "v"; add it to extraVolumes/,
    ],
    [
      { 'host.podLabels': { 'app.kubernetes.io/name': 'x' } },
      /podLabels: app.kubernetes.io\/name is set by the chart itself/,
    ],
    [
      { namespaces: ['gardn'] },
      /namespaces: no function has roles in namespace "gardn"; there are roles in garden, istio-system, kcp-system, kyma-/,
    ],
    [{ 'podMonitor.interval': 'often' }, /\/podMonitor\/interval'?: .*does not match pattern/s],
    [{ 'relay.replicas': 0 }, /\/relay\/replicas'?: minimum/],
    [{ mode: 'twoHosts' }, /\/mode'?: value must be one of/],
    [{ replicas: 3 }, /additional properties 'replicas' not allowed/],
  ]
  for (const [values, sentence] of cases) {
    const { code, stderr } = await template(values)
    t.equal(code, 1, JSON.stringify(values))
    matches(t, stderr, sentence)
  }
})
