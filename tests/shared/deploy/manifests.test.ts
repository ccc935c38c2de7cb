import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { secretName } from '../../../functions/webhook-certificate/desired/secret.ts'
import { webhookCertificate } from '../../../functions/webhook-certificate/index.ts'
import type { AccessRule, Landscape } from '../../../shared/api/serverless.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type Setting, settingVariable } from '../../../shared/core/settings/setting.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { certificateFunction, certificateSecretName } from '../../../shared/deploy/manifests/conventions.ts'
import { type ManifestFile, writtenManifests, yamlText } from '../../../shared/deploy/manifests/manifest-files.ts'
import { deployManifests, isKept } from '../../../shared/deploy/manifests/manifests.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { hostSettings } from '../../../shared/http/settings/host-settings.ts'
import { relaySettings } from '../../../shared/http/settings/relay-settings.ts'
import { goldenIn } from '../../harness/golden.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { fullLandscape, listen } from './full-landscape.ts'

const project = join(import.meta.dirname, '..', '..', '..')

const withoutAdmission = (): Landscape => {
  const { prune } = fullLandscape().functions
  return { ...fullLandscape(), functions: prune ? { prune } : {} }
}

const generate = (...args: string[]): Promise<{ code: unknown; output: string }> =>
  new Promise(resolve =>
    execFile(process.execPath, [join(project, 'shared/main/generate.ts'), ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  )

t.test('FN-80 what is checked in equals what serverless.yml says, and --check fails when it does not', async t => {
  t.strictSame(await generate('--check'), { code: 0, output: '' }, 'as checked in')

  const into = t.testdir()
  const first = await generate('--into', into)
  matches(t, first, { code: 0, output: /^manifests\/rbac\/relay\.yaml is new$/m })
  t.strictSame(await generate('--check', '--into', into), { code: 0, output: '' }, 'as just written')
  const policy = readFileSync(join(into, 'webhooks/garden-secrets.yaml'), 'utf8')
  t.equal(
    policy,
    readFileSync(join(project, 'manifests/webhooks/garden-secrets.yaml'), 'utf8'),
    'what people wrote, too',
  )

  writeFileSync(join(into, 'rbac/relay.yaml'), '')
  rmSync(join(into, 'deploy/kustomization.yaml'))
  const differing = 'manifests/rbac/relay.yaml differs\nmanifests/deploy/kustomization.yaml is missing\n'
  t.strictSame(await generate('--check', '--into', into), { code: 1, output: differing })
})

t.test('FN-80 a release has the layouts that git does not keep', t => {
  const files = deployManifests(readLandscape(join(project, 'serverless.yml')), '1.2.3')
  const golden = goldenIn(import.meta.dirname)
  t.strictSame(inFile(files, 'deploy/per-function/kyma.yaml'), golden('per-function'))
  t.strictSame(inFile(files, 'knative/runtime-events.yaml'), golden('knative'))
  const released = files.filter(file => !isKept(file)).map(({ path }) => dirname(path))
  t.strictSame([...new Set(released)], ['deploy/per-function', 'knative'])
  t.end()
})

t.test('FN-80 files that are no longer derived go, files that people wrote stay', t => {
  const folder = t.testdir({ samples: { 'mine.yaml': 'kind: Garden\n' } })
  const before = deployManifests(fullLandscape(), '1.2.3')
  const after = deployManifests(withoutAdmission(), '1.2.3')
  writtenManifests(folder, before, false)
  t.strictSame(writtenManifests(folder, before, true), [], 'all written')

  t.strictSame(
    writtenManifests(folder, after, true)
      .filter(line => line.endsWith('is left over'))
      .sort(),
    [
      'manifests/deploy/per-function/inspect.yaml is left over',
      'manifests/grants/inspect.yaml is left over',
      'manifests/knative/inspect.yaml is left over',
      'manifests/rbac/inspect.yaml is left over',
      'manifests/webhooks/kustomization.yaml is left over',
      'manifests/webhooks/orchards.yaml is left over',
    ],
  )
  writtenManifests(folder, after, false)
  t.strictSame(writtenManifests(folder, after, true), [])
  t.equal(readFileSync(join(folder, 'samples/mine.yaml'), 'utf8'), 'kind: Garden\n')
  t.end()
})

t.test('FN-80 the same landscape gives the same text, which YAML 1.1 reads as it was meant', t => {
  const texts = () => deployManifests(fullLandscape(), '1.2.3').map(yamlText)
  t.strictSame(texts(), texts())
  const data = { answer: 'on', mode: '0644', size: '1e3', time: '12:30', none: '~', count: 3 }
  const text = yamlText({ path: 'x.yaml', source: 'serverless.yml', objects: [data] })
  t.strictSame(parseAllDocuments(text, { version: '1.1' }).at(-1)?.toJS(), data)
  t.end()
})

/** The objects of one file. */
const inFile = (files: readonly ManifestFile[], path: string): KubeObject[] => {
  const file = files.find(one => one.path === path)
  if (file === undefined) throw new Error(`no ${path} among ${files.map(one => one.path).join(', ')}`)
  return file.objects as KubeObject[]
}

/** Account, roles and bindings of a function or of the relay, those in namespaces of others too. */
const accessOf = (files: readonly ManifestFile[], name: string): KubeObject[] => [
  ...inFile(files, `rbac/${name}.yaml`),
  ...files
    .filter(({ path }) => path.startsWith('namespaces/'))
    .flatMap(({ objects }) => (objects as KubeObject[]).filter(({ metadata }) => metadata.name === `orchards-${name}`)),
]

const ofKind = (objects: readonly KubeObject[], kind: string): KubeObject[] => objects.filter(one => one.kind === kind)

t.test('FN-80 roles say what access says, and are bound to the function alone', t => {
  const landscape = fullLandscape()
  const files = deployManifests(landscape, '1.2.3')
  for (const [name, settings] of Object.entries(landscape.functions)) {
    const objects = accessOf(files, name)
    t.strictSame(granted(objects), wanted(settings.access), name)
    for (const { subjects, roleRef, metadata } of objects.filter(({ kind }) => kind.endsWith('Binding'))) {
      t.strictSame(subjects, [{ kind: 'ServiceAccount', name, namespace: 'espalier-system' }])
      matches(t, roleRef, { name: metadata.name })
    }
  }
  t.end()
})

type Granted = { namespace: string; rule: unknown }

const granted = (objects: readonly KubeObject[]): Granted[] =>
  [...ofKind(objects, 'ClusterRole'), ...ofKind(objects, 'Role')].flatMap(({ metadata, rules }) =>
    (rules as unknown[]).map(rule => ({ namespace: metadata.namespace ?? '', rule })),
  )

const wanted = (access: readonly AccessRule[]): Granted[] =>
  access
    .flatMap(({ namespaces = [''], ...rule }) => namespaces.map(namespace => ({ namespace, rule })))
    .sort((one, other) => one.namespace.localeCompare(other.namespace))

t.test('FW-12 two landscapes share no role and no binding, and each has an image of its own', async t => {
  const filesOf = (service: string) => deployManifests({ ...fullLandscape(), service }, '1.2.3')
  const namesOf = (service: string): string[] =>
    filesOf(service)
      .flatMap(({ objects }) => objects as KubeObject[])
      .filter(({ apiVersion }) => apiVersion.startsWith('rbac.'))
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`)
  const [ours, theirs] = [namesOf('orchards'), new Set(namesOf('vineyards'))]
  t.ok(ours.length > 5, 'there is something to compare')
  t.strictSame(
    ours.filter(name => theirs.has(name)),
    [],
  )
  const images = filesOf('vineyards').flatMap(({ objects }) =>
    objects.flatMap(one => (one as { images?: object[] }).images ?? []),
  )
  t.strictSame(images[0], { name: 'espalier', newName: 'vineyards', newTag: '1.2.3' })
  const own = deployManifests(readLandscape(join(project, 'serverless.yml')), '1.2.3')
  const ownImages = own.flatMap(({ objects }) => objects.flatMap(one => (one as { images?: object[] }).images ?? []))
  t.strictSame(ownImages[0], { name: 'espalier', newTag: '1.2.3' })
})

t.test('FN-80 the relay may watch what events name, read access Secrets and hold Leases', t => {
  t.strictSame(granted(accessOf(deployManifests(fullLandscape(), '1.2.3'), 'relay')), [
    { namespace: '', rule: { apiGroups: ['example.org'], resources: ['orchards'], verbs: ['list', 'watch'] } },
    { namespace: '', rule: { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] } },
    { namespace: '', rule: { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] } },
    {
      namespace: 'espalier-system',
      rule: {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['list', 'create', 'patch', 'delete'],
      },
    },
    { namespace: 'orchards', rule: { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] } },
    {
      namespace: 'orchards',
      rule: { apiGroups: [''], resources: ['secrets'], resourceNames: ['orchard-token'], verbs: ['list', 'watch'] },
    },
    { namespace: 'runtimes', rule: { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] } },
  ])
  t.end()
})

t.test('FN-80 the one host is bound to the roles of all functions and has none of its own', t => {
  const objects = inFile(deployManifests(fullLandscape(), '1.2.3'), 'deploy/one-host/host-account.yaml')
  t.strictSame(
    objects.filter(({ kind }) => kind.endsWith('Binding')).map(one => [one.kind, one.metadata.namespace, one.roleRef]),
    [
      ['ClusterRoleBinding', undefined, roleRef('ClusterRole', 'orchards-prune')],
      ['ClusterRoleBinding', undefined, roleRef('ClusterRole', 'orchards-inspect')],
    ],
  )
  t.strictSame(granted(objects), [])
  const orchards = inFile(deployManifests(fullLandscape(), '1.2.3'), 'namespaces/orchards.yaml')
  t.strictSame(
    orchards.filter(({ metadata }) => metadata.name === 'orchards-host-prune').map(one => [one.kind, one.roleRef]),
    [['RoleBinding', roleRef('Role', 'orchards-prune')]],
    'in a namespace of others, once it exists',
  )
  t.end()
})

const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })

t.test('FN-80 webhook configurations say what admission events say, and leave our own namespace alone', t => {
  const [mutating, validating] = inFile(deployManifests(fullLandscape(), '1.2.3'), 'webhooks/orchards.yaml')
  const common = {
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 10,
    admissionReviewVersions: ['v1', 'v1beta1'],
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['espalier-system'] }],
    },
  }
  const service = { name: 'inspect-webhooks', namespace: 'espalier-system', port: 443 }
  const groups = { apiGroups: ['example.org'], apiVersions: ['v1'], resources: ['orchards'] }
  t.strictSame(mutating, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'orchards', labels: managed },
    webhooks: [
      {
        ...common,
        name: 'defaulting.example.org',
        clientConfig: { service: { ...service, path: '/webhooks/default-orchard' } },
        rules: [{ ...groups, operations: ['CREATE', 'UPDATE'], scope: 'Namespaced' }],
        matchPolicy: 'Exact',
        objectSelector: { matchLabels: { 'example.org/checked': 'true' } },
        namespaceSelector: {
          matchExpressions: [
            ...common.namespaceSelector.matchExpressions,
            { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['orchard'] },
          ],
        },
        matchConditions: [{ name: 'grows', expression: 'object.spec.trees > 0' }],
        reinvocationPolicy: 'IfNeeded',
      },
    ],
  })
  t.strictSame(validating, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'orchards', labels: managed },
    webhooks: [
      {
        ...common,
        name: 'validation.example.org',
        clientConfig: { service: { ...service, path: '/webhooks/validate-orchard' } },
        rules: [{ ...groups, operations: ['CREATE', 'UPDATE', 'DELETE'] }],
        matchPolicy: 'Equivalent',
      },
    ],
  })
  t.end()
})

const managed = { 'app.kubernetes.io/part-of': 'espalier' }

t.test('FN-80 without admission there are no webhook configurations, and nothing speaks of them', t => {
  const files = deployManifests(withoutAdmission(), '1.2.3')
  t.notOk(files.some(({ path }) => path.startsWith('webhooks/')))
  lacks(t, files.map(yamlText).join(''), /webhooks\b.*443|\.\.\/webhooks/)
  t.end()
})

t.test('FN-80 each layout serves every function once, and its Pods start with settings the host knows', t => {
  const { functions } = fullLandscape()
  const names = Object.keys(functions)
  const declared = declaredSettings(functions)
  const layouts: [folder: string, workloads: string, hosts: string[]][] = [
    ['deploy/one-host', 'Deployment', ['prune,inspect']],
    ['deploy/per-function', 'Deployment', ['prune', 'inspect']],
    ['knative', 'Service serving.knative.dev/v1', ['prune', 'inspect']],
  ]
  for (const [folder, kind, hosts] of layouts) {
    const pods = ofKind(inFolder(folder), kind.split(' ')[0] ?? '')
      .filter(isWorkload)
      .map(podSpecOf)
    t.strictSame(
      pods.map(pod => environmentOf(pod).ESPALIER_FUNCTIONS),
      hosts,
      folder,
    )
    t.strictSame(
      hosts.flatMap(host => host.split(',')),
      names,
    )
    for (const pod of pods) {
      t.strictSame(unknownSettings({ ...hostSettings, ...declared }, pod), [], 'no setting that nobody reads')
      const reading = settingsFrom(hostSettings, { program: 'host', flags: [], environment: environmentOf(pod) })
      matches(t, reading, { is: 'settings', settings: { webhooksListen: { host: '', port: 9443 } } })
    }
  }
  t.end()
})

t.test('FN-80 the relay starts with settings it knows, and finds what they name', t => {
  const [pod] = ofKind(inFolder('deploy/base'), 'Deployment').map(podSpecOf)
  if (pod === undefined) throw new Error('no relay')
  t.strictSame(unknownSettings(relaySettings, pod), [])
  const reading = settingsFrom(relaySettings, { program: 'relay', flags: [], environment: environmentOf(pod) })
  matches(t, reading, { is: 'settings', settings: { listen: { port: 8080 } } })
  if (reading.is !== 'settings') return t.end()
  const { routes, hostAuthorities = '', hostTokenFile } = reading.settings
  const folders = pod.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath))
  t.strictSame(folders, [dirname(hostTokenFile), routes, dirname(hostAuthorities)])
  t.end()
})

/** The settings that the functions declare, as serverless.yml gives them values. */
const declaredSettings = (functions: Landscape['functions']) => {
  const envs = Object.entries(functions).flatMap(([name, { settings = {} }]) =>
    Object.keys(settings).map(setting => settingVariable(name, setting)),
  )
  return Object.fromEntries(envs.map(env => [env, { env }]))
}

const unknownSettings = (table: Readonly<Record<string, Pick<Setting, 'env'>>>, pod: PodSpec): string[] => {
  const known = Object.values(table).map(({ env }) => env)
  return Object.keys(environmentOf(pod)).filter(name => !known.includes(name))
}

const inFolder = (folder: string): KubeObject[] =>
  deployManifests(fullLandscape(), '1.2.3')
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .flatMap(({ objects }) => objects as KubeObject[])

type PodSpec = {
  serviceAccountName: string
  terminationGracePeriodSeconds?: number
  containers: {
    env: { name: string; value: string }[]
    ports: { containerPort: number }[]
    readinessProbe: { httpGet: { port: number } }
    resources: unknown
    volumeMounts: { mountPath: string }[]
  }[]
}

const isWorkload = (object: KubeObject): boolean => (object.spec as { template?: unknown }).template !== undefined
const podSpecOf = (object: KubeObject): PodSpec => (object.spec as { template: { spec: PodSpec } }).template.spec
const environmentOf = ({ containers }: PodSpec): Record<string, string> =>
  Object.fromEntries((containers[0]?.env ?? []).map(({ name, value }) => [name, value]))

t.test('FN-166 a host requests what it takes at rest, may take six times that, and more where it renders', t => {
  const pods = deployManifests(readLandscape(join(project, 'serverless.yml')), '1.2.3')
    .filter(({ path }) => path.startsWith('deploy/'))
    .flatMap(({ objects }) => ofKind(objects as KubeObject[], 'Deployment'))
  const resources = Object.fromEntries(
    pods.map(one => [one.metadata.name, podSpecOf(one).containers.map(({ resources }) => resources)[0]]),
  )
  const wanted = (cpu: string, memory: string, limit: string) => ({
    requests: { cpu, memory },
    limits: { memory: limit },
  })
  matches(t, resources, {
    host: wanted('100m', '128Mi', '1536Mi'),
    relay: wanted('50m', '64Mi', '400Mi'),
    component: wanted('20m', '96Mi', '1344Mi'),
    istio: wanted('20m', '96Mi', '1344Mi'),
    manifest: wanted('20m', '96Mi', '1344Mi'),
    kyma: wanted('20m', '96Mi', '576Mi'),
    purge: wanted('20m', '64Mi', '384Mi'),
  })
  t.end()
})

t.test('FW-27 an operator whose function has dependents may take as much memory for renderers as component', t => {
  const landscape = readLandscape(
    join(project, 'examples', 'redis', 'serverless.yml'),
    () => true,
    readLandscape(join(project, 'serverless.yml')),
  )
  const limits = (functions: string[]) => {
    const some = Object.entries(landscape.functions).filter(([name]) => functions.includes(name))
    const files = deployManifests({ ...landscape, functions: Object.fromEntries(some) }, '1.2.3', [])
    return inFile(files, 'deploy/one-host/host.yaml')
      .filter(isWorkload)
      .map(one => podSpecOf(one).containers[0]?.resources)
  }
  matches(t, limits(['redis', 'webhook-certificate']), [{ limits: { memory: '1536Mi' } }])
  matches(t, limits(['webhook-certificate']), [{ limits: { memory: '384Mi' } }])
  t.end()
})

t.test('FN-167 no Pod has an emptyDir, for which kubectl drain would refuse it', t => {
  const texts = deployManifests(readLandscape(join(project, 'serverless.yml')), '1.2.3')
    .map(yamlText)
    .join('')
  matches(t, texts, /kind: Deployment/)
  lacks(t, texts, 'emptyDir')
  t.end()
})

t.test('FN-80 timeouts and memory of serverless.yml become those of the Pods', t => {
  const [host] = ofKind(inFolder('deploy/one-host'), 'Deployment').map(podSpecOf)
  matches(t, host, {
    terminationGracePeriodSeconds: 70,
    containers: [{ resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '1536Mi' } } }],
  })
  const [prune, inspect] = ofKind(inFolder('deploy/per-function'), 'Deployment').map(podSpecOf)
  matches(t, prune, { serviceAccountName: 'prune', containers: [{ resources: { requests: { memory: '128Mi' } } }] })
  matches(t, inspect, { serviceAccountName: 'inspect', containers: [{ resources: { requests: { memory: '64Mi' } } }] })
  matches(t, ofKind(inFolder('knative'), 'Service'), [
    {
      spec: {
        template: { metadata: { annotations: minScale('0') }, spec: { containerConcurrency: 5, timeoutSeconds: 60 } },
      },
    },
    {
      spec: {
        template: { metadata: { annotations: minScale('1') }, spec: { containerConcurrency: 5, timeoutSeconds: 10 } },
      },
    },
    { metadata: { name: 'inspect-webhooks' } },
  ])
  t.end()
})

const minScale = (count: string) => ({ 'autoscaling.knative.dev/min-scale': count })

t.test('FN-80 Knative’s proxy is open to calls, with and without TLS, and to the autoscaler that counts them', t => {
  const [policy] = ofKind(inFolder('knative'), 'NetworkPolicy')
  const ports = [8012, 8112, 9090].map(port => ({ protocol: 'TCP', port }))
  matches(t, policy?.spec, { ingress: [{ ports }] })
  t.end()
})

t.test('FN-80 RE-93 the relay finds functions by the same names in every layout, the API server webhooks', t => {
  const routes = (folder: string) => ofKind(inFolder(folder), 'ConfigMap').map(({ data }) => data)
  t.strictSame(routes('deploy/one-host'), [{ prune: 'https://prune.espalier-system.svc:8443' }])
  t.strictSame(routes('deploy/per-function'), routes('deploy/one-host'))
  t.strictSame(routes('knative'), [{ prune: 'http://prune.espalier-system.svc.cluster.local' }])
  for (const folder of ['deploy/one-host', 'deploy/per-function']) {
    matches(t, ofKind(inFolder(folder), 'Service'), [
      { metadata: { name: 'prune' }, spec: { clusterIP: 'None', ports: [{ port: 8443, targetPort: 8443 }] } },
      { metadata: { name: 'inspect-webhooks' }, spec: { ports: [{ port: 443, targetPort: 9443 }] } },
    ])
    const withAddress = ofKind(inFolder(folder), 'Service').filter(
      ({ spec }) => !Object.hasOwn(spec as object, 'clusterIP'),
    )
    t.strictSame(
      withAddress.map(({ metadata }) => metadata.name),
      ['inspect-webhooks'],
      'the API server calls no headless Service',
    )
  }
  t.end()
})

t.test('FN-80 who keeps the certificate makes it, all others get it as files', t => {
  const { prune, ...others } = fullLandscape().functions
  const landscape = { ...fullLandscape(), functions: { ...others, ...(prune ? { [certificateFunction]: prune } : {}) } }
  const pods = deployManifests(landscape, '1.2.3')
    .filter(({ path }) => path.startsWith('deploy/per-function/'))
    .flatMap(({ objects }) => ofKind(objects as KubeObject[], 'Deployment').map(podSpecOf))
  matches(t, pods.map(environmentOf), [
    { ESPALIER_FUNCTIONS: 'inspect', ESPALIER_TLS: 'files', ESPALIER_TLS_DIRECTORY: '/var/run/espalier/tls' },
    { ESPALIER_FUNCTIONS: certificateFunction, ESPALIER_TLS: 'secret' },
  ])
  matches(t, pods[0], {
    volumes: [{ secret: { secretName, items: [{ key: 'tls.crt' }, { key: 'tls.key' }], optional: true } }],
    containers: [{ volumeMounts: [{ mountPath: '/var/run/espalier/tls' }] }],
  })
  const relay = yamlText({ path: 'x', source: 'x', objects: ofKind(inFolder('deploy/base'), 'Deployment') })
  lacks(t, relay, 'optional', 'the relay calls nobody without it')
  t.equal(certificateFunction, webhookCertificate.name)
  t.equal(certificateSecretName, secretName)
  t.end()
})

t.test('FN-80 a function that hears from other clusters has a port, a Service and the token for the relay', t => {
  const objects = deployManifests({ ...fullLandscape(), functions: { listen } }, '1.2.3')
    .filter(({ path }) => path.includes('listen'))
    .flatMap(manifest => manifest.objects as KubeObject[])
  const services = ofKind(objects, 'Service').filter(({ apiVersion }) => apiVersion === 'v1')
  const ports = [
    { name: 'callbacks', port: 443, targetPort: 10_443 },
    { name: 'former-callbacks', port: 8082, targetPort: 10_443 },
  ]
  const wanted = { spec: { ports } }
  matches(t, services, [wanted, wanted], 'per function and with Knative')
  const [pod] = ofKind(objects, 'Deployment').map(podSpecOf)
  matches(t, pod, {
    containers: [{ ports: [{ name: 'functions' }, { name: 'probes' }, { name: 'callbacks', containerPort: 10_443 }] }],
    volumes: (volumes: { name: string }[]) => volumes.some(({ name }) => name === 'token'),
  })
  matches(t, pod && environmentOf(pod), {
    ESPALIER_CALLBACKS_LISTEN: ':10443',
    ESPALIER_RELAY: 'http://relay.espalier-system.svc:8080',
  })
  t.end()
})
