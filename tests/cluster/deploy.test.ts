// What is generated, on a real API server: that it is accepted and runs, and that roles allow what they say and no more.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { AccessRule, Landscape } from '../../shared/api/serverless.ts'
import { isMap } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { writtenManifests } from '../../shared/deploy/manifests/manifest-files.ts'
import { deployManifests } from '../../shared/deploy/manifests/manifests.ts'
import { type ApiClient, apiClient } from '../harness/clients/api.ts'
import { mayDo } from '../harness/clusters/access-review.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { serviceAccountToken } from '../harness/clusters/service-account.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { oracles } from '../harness/oracles.ts'
import { until, usualSeconds } from '../harness/until.ts'
import { fullLandscape } from '../shared/deploy/full-landscape.ts'

const project = join(import.meta.dirname, '..', '..')
const namespace = 'espalier-system'

// Namespaces of fixed names and webhooks that fail closed are nothing for a cluster that others use.
const cluster = await ownControlPlane(t)
const api = apiClient(cluster, cluster.admin)
t.teardown(() => api.close())
const { kubectl: program } = await oracles()

type Result = { code: unknown; stdout: string; text: string }

const kubectl = (...args: string[]): Promise<Result> =>
  new Promise(resolve => {
    const options = {
      cwd: project,
      env: { KUBECONFIG: cluster.kubeconfigPath, HOME: dirname(cluster.kubeconfigPath), PATH: process.env.PATH },
      maxBuffer: 2 ** 26,
    }
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, text: stdout + stderr }),
    )
  })

const succeeds = async (t: Test, ...args: string[]): Promise<string> => {
  const { code, stdout, text } = await kubectl(...args)
  t.equal(code, 0, `kubectl ${args.join(' ')}\n${text}`)
  return stdout
}

const stored = async (kinds: string): Promise<KubeObject[]> =>
  JSON.parse((await kubectl('get', kinds, '-n', namespace, '-o', 'json')).stdout).items

const foreignNamespaces = ['garden', 'istio-system', 'kcp-system', 'kyma-system']

const allAvailable = (t: Test): Promise<string> =>
  succeeds(t, 'wait', '--for=condition=Available', `--timeout=${usualSeconds}s`, '-n', namespace, 'deployment', '--all')

/** The arguments of a command that README.md shows. */
const shown = (start: string): string[] => {
  const line = readFileSync(join(project, 'README.md'), 'utf8')
    .split('\n')
    .find(text => text.startsWith(`kubectl ${start}`))
  if (line === undefined) throw new Error(`README.md shows no kubectl ${start}`)
  return line.split(' ').slice(1)
}

t.test('FN-83 kubectl apply -k manifests/deploy', async t => {
  const applied = await succeeds(t, ...shown('apply -k'), '--validate=strict')
  lacks(t, applied, 'unchanged', 'there was nothing before')

  await t.test('FN-168 it brings the definitions, so that samples apply, and no namespace but its own', async t => {
    const namespaces = await succeeds(t, 'get', 'namespaces', '-o', 'name')
    for (const name of foreignNamespaces) lacks(t, namespaces, `namespace/${name}\n`)
    for (const sample of ['components', 'istio', 'kyma'])
      await succeeds(t, 'apply', '-f', `manifests/samples/${sample}.yaml`)
    matches(t, await kubectl('apply', '-f', 'manifests/samples/garden.yaml'), {
      code: 1,
      text: /failed calling webhook/,
    })
  })

  // kubectl gives up comparing what changes all the time.
  await allAvailable(t)
  await succeeds(t, 'diff', '-k', 'manifests/deploy')

  await t.test('FN-83 Pods fit the restricted standard and become ready, others are refused', async t => {
    await allAvailable(t)
    const loose = await kubectl('run', 'loose', '-n', namespace, '--image=espalier')
    contains(t, loose.text, 'violates PodSecurity "restricted:latest"')
  })

  await t.test('FN-83 every Deployment has probes, requests, spread and a disruption budget of its own', async t => {
    const [deployments, budgets] = await Promise.all([stored('deployments'), stored('poddisruptionbudgets')])
    t.strictSame(deployments.map(({ metadata }) => metadata.name).sort(), ['host', 'relay'])
    for (const { metadata, spec } of deployments) {
      matches(t, spec, wellFurnished, metadata.name)
      await succeeds(t, ...budgetCounts(metadata.name))
    }
    t.strictSame(budgets.map(({ metadata }) => metadata.name).sort(), ['host', 'relay'])
  })

  await t.test('FN-83 every Service leads to ready Pods', async t => {
    for (const { metadata } of await stored('services')) {
      // Slices come from another controller than Deployments: later.
      const found = await until(
        () => slicesOf(metadata.name),
        ({ items }) => readyEndpoints(items).length > 1,
      )
      matches(
        t,
        found,
        { items: [{ endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }] }] },
        metadata.name,
      )
    }
  })

  await t.test('FN-83 nobody may connect but those who must', async t => {
    const policies = await stored('networkpolicies')
    matches(t, policies.find(({ metadata }) => metadata.name === 'nothing-else')?.spec, {
      podSelector: {},
      policyTypes: ['Ingress'],
    })
    const selectors = policies.map(({ spec }) => (isMap(spec) ? spec.podSelector : undefined))
    for (const selector of selectors) t.not((await podsOf(selector)).length, 0, JSON.stringify(selector))
  })
})

type Slice = { endpoints: { conditions: { ready?: boolean } }[] | null }

const slicesOf = async (service: string): Promise<{ items: Slice[] }> => {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
  const { text } = await api.call('GET', `${path}?labelSelector=kubernetes.io/service-name=${service}`)
  return JSON.parse(text)
}

const readyEndpoints = (slices: readonly Slice[]) =>
  slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions.ready)

const wellFurnished = {
  replicas: 2,
  template: {
    spec: {
      topologySpreadConstraints: [
        { topologyKey: 'kubernetes.io/hostname' },
        { topologyKey: 'topology.kubernetes.io/zone' },
      ],
      containers: [
        {
          image: /^espalier:\d+\.\d+\.\d+$/,
          startupProbe: { httpGet: { path: '/livez' } },
          livenessProbe: { httpGet: { path: '/livez' } },
          readinessProbe: { httpGet: { path: '/readyz' } },
          resources: { requests: { cpu: String, memory: String }, limits: { memory: String } },
          securityContext: { readOnlyRootFilesystem: true },
        },
      ],
    },
  },
}

const budgetCounts = (name: string): string[] => [
  ...['wait', '--for=jsonpath={.status.expectedPods}=2', `--timeout=${usualSeconds}s`],
  ...['-n', namespace, `poddisruptionbudget/${name}`],
]

const podsOf = async (selector: unknown): Promise<KubeObject[]> => {
  const labels = isMap(selector) && isMap(selector.matchLabels) ? Object.entries(selector.matchLabels) : []
  const args = ['-n', namespace, '-l', labels.map(pair => pair.join('=')).join(','), '-o', 'json']
  return JSON.parse((await kubectl('get', 'pods', ...args)).stdout).items
}

const release = t.testdir()
await promisify(execFile)(process.execPath, [join(project, 'shared/main/generate.ts'), '--into', release])

t.test('FN-83 one Deployment per function is accepted and runs as well', async t => {
  await succeeds(t, 'apply', '-k', join(release, 'deploy/per-function'), '--validate=strict')
  await allAvailable(t)
  const deployments = (await stored('deployments')).map(({ metadata }) => metadata.name)
  const functions = Object.keys(readLandscape(join(project, 'serverless.yml')).functions)
  t.strictSame(deployments.sort(), [...functions, 'host', 'relay'].sort())
})

t.test('FN-83 the Knative layout can be built', async t => {
  matches(t, await succeeds(t, 'kustomize', join(release, 'knative')), /kind: Service\n.*image: espalier:\d/s)
})

t.test('FN-83 our own Pods start while every webhook is away, though it fails closed', async t => {
  const folder = t.testdir()
  writtenManifests(folder, deployManifests(reviewingPods(), '1.2.3'), false)
  await succeeds(t, 'apply', '-k', join(folder, 'webhooks'))
  const elsewhere = await untilRefused(() =>
    kubectl('run', 'foreign', '-n', 'default', '--image=x', '--dry-run=server'),
  )
  matches(
    t,
    elsewhere.text,
    /failed calling webhook "(defaulting|validation).example.org"/,
    'Pods elsewhere wait for it',
  )

  await succeeds(t, 'delete', 'pods', '--all', '-n', namespace, '--wait=true')
  await allAvailable(t)
  await succeeds(t, 'delete', '-k', join(folder, 'webhooks'))
})

const reviewingPods = (): Landscape => {
  const landscape = fullLandscape()
  for (const { events } of Object.values(landscape.functions)) {
    for (const event of events) {
      if ('admission' in event) {
        event.admission.rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }]
        event.admission.objectSelector = {}
      }
    }
  }
  return landscape
}

/** A configuration counts some moments after it was applied, and nothing tells when. */
const untilRefused = (attempt: () => Promise<Result>): Promise<Result> => until(attempt, ({ code }) => code !== 0)

const landscape = readLandscape(join(project, 'serverless.yml'))
const rbac = 'apis/rbac.authorization.k8s.io/v1'

type Question = { group: string; resource: string; subresource: string; verb: string; namespace: string; name: string }

t.test('FN-82 a function may do what its access says and nothing else', async t => {
  await succeeds(t, 'apply', '-k', 'manifests/deploy')
  for (const name of foreignNamespaces) await kubectl('create', 'namespace', name)
  await succeeds(t, 'apply', '-f', 'manifests/namespaces')
  for (const [name, { access }] of Object.entries(landscape.functions)) {
    const questions = questionsAbout(Object.values(landscape.functions).flatMap(settings => settings.access))
    const answers = await inParts(questions, 20, question => mayFunctionDo(name, question))
    const wrong = questions.filter((question, at) => answers[at] !== isDeclared(access, question))
    t.strictSame(wrong, [], `${name}: ${questions.length} questions`)
    const allowed = answers.filter(Boolean).length
    t.ok(allowed > 0, `${allowed} of them allowed`)
    t.equal(allowed === questions.length, access.some(isEverything), 'all of them only to whom everything is granted')
  }
})

/** What a function needs that installs whatever a chart holds. */
const isEverything = ({ apiGroups, resources, verbs }: AccessRule): boolean =>
  [apiGroups, resources, verbs].every(list => list.includes('*'))

/**
 * Every verb on every kind that any function touches, and on some that none should; of each kind in the namespaces and of the names that
 * any function has to do with, and beyond.
 */
const questionsAbout = (rules: readonly AccessRule[]): Question[] => {
  const kinds = new Set([...kindsOf(rules), ...temptations].map(kind => JSON.stringify(kind)))
  return [...kinds].flatMap(text => {
    const kind = JSON.parse(text) as Kind
    const about = rules.filter(rule => fits(rule.apiGroups, kind.group) && fits(rule.resources, resourceText(kind)))
    const namespaces = new Set(['', namespace, 'kube-system', ...about.flatMap(rule => rule.namespaces ?? [])])
    const names = new Set(['', 'any', ...about.flatMap(rule => rule.resourceNames ?? [])])
    return product([...namespaces], [...names], verbs).map(([namespace, name, verb]) => ({
      ...kind,
      namespace,
      name,
      verb,
    }))
  })
}

const resourceText = ({ resource, subresource }: Kind): string =>
  subresource ? `${resource}/${subresource}` : resource

const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'impersonate',
  'escalate',
]

type Kind = Pick<Question, 'group' | 'resource' | 'subresource'>

const kindsOf = (rules: readonly AccessRule[]): Kind[] =>
  rules
    .filter(rule => !isEverything(rule))
    .flatMap(rule =>
      product(rule.apiGroups, rule.resources, ['']).map(([group, text]) => {
        const [resource = '', subresource = ''] = text.split('/')
        return { group, resource, subresource }
      }),
    )

const temptations: Kind[] = [
  { group: '', resource: 'secrets', subresource: '' },
  { group: '', resource: 'nodes', subresource: '' },
  { group: '', resource: 'pods', subresource: 'exec' },
  { group: '', resource: 'serviceaccounts', subresource: 'token' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', subresource: '' },
]

const product = <A, B, C>(a: readonly A[], b: readonly B[], c: readonly C[]): [A, B, C][] =>
  a.flatMap(one => b.flatMap(two => c.map((three): [A, B, C] => [one, two, three])))

const isDeclared = (access: readonly AccessRule[], asked: Question): boolean =>
  access.some(
    rule =>
      fits(rule.apiGroups, asked.group) &&
      fits(rule.resources, resourceText(asked)) &&
      fits(rule.verbs, asked.verb) &&
      (rule.namespaces === undefined || rule.namespaces.includes(asked.namespace)) &&
      (rule.resourceNames === undefined || rule.resourceNames.includes(asked.name)),
  )

const fits = (values: readonly string[], value: string): boolean => values.includes(value) || values.includes('*')

const mayFunctionDo = (name: string, resourceAttributes: Question): Promise<boolean> =>
  mayDo(api, {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    resourceAttributes,
  })

const inParts = async <A, B>(all: readonly A[], size: number, ask: (one: A) => Promise<B>): Promise<B[]> => {
  const answers: B[] = []
  for (let at = 0; at < all.length; at += size) answers.push(...(await Promise.all(all.slice(at, at + size).map(ask))))
  return answers
}

t.test('FN-82 with the token of its own account a function is refused what it has not declared', async t => {
  await succeeds(t, 'apply', '-k', 'manifests/crds')
  for (const [name, { access }] of Object.entries(landscape.functions)) {
    const own = apiClient(cluster, { token: await serviceAccountToken(cluster, { namespace, name }) })
    t.teardown(() => own.close())
    if (access.some(isEverything)) {
      t.equal(await servedStatus(own, '/api/v1/namespaces/kube-system/secrets'), 200, `${name} may do everything`)
      continue
    }
    const readable = access.find(rule => rule.verbs.includes('list') && rule.resourceNames === undefined)
    t.equal(await servedStatus(own, await pathOf(readable)), 200, `${name} lists ${readable?.resources[0]}`)
    const beyond = await own.call('GET', '/api/v1/namespaces/kube-system/secrets')
    matches(t, beyond, { status: 403, body: { reason: 'Forbidden', message: new RegExp(`:${name}" cannot list`) } })
    const body = { metadata: { name: 'mine' }, roleRef: { kind: 'ClusterRole', name: 'cluster-admin' }, subjects: [] }
    const write = await own.call('POST', `/${rbac}/clusterrolebindings`, { body })
    matches(t, write, { status: 403, body: { reason: 'Forbidden', message: /cannot create resource/ } })
  }
})

/** The collection of the rule's first resource. */
const pathOf = async (rule: AccessRule | undefined): Promise<string> => {
  const group = rule?.apiGroups[0] ?? ''
  if (group) await api.served(`/apis/${group}`)
  const { body } = group ? await api.call('GET', `/apis/${group}`) : { body: { preferredVersion: { version: 'v1' } } }
  const version = isMap(body.preferredVersion) ? body.preferredVersion.version : undefined
  const within = rule?.namespaces ? `/namespaces/${rule.namespaces[0]}` : ''
  return `${group ? `/apis/${group}` : '/api'}/${version}${within}/${rule?.resources[0]}`
}

/** What the API server answers once it serves the kind: after its definition was made, that takes some moments. */
const servedStatus = (own: ApiClient, path: string): Promise<number> =>
  until(
    async () => (await own.call('GET', path)).status,
    status => ![404, 429].includes(status),
  )

t.test(
  'FN-169 taking Espalier away: policies and webhooks go first, definitions and what others have stay',
  async t => {
    const deleted = await succeeds(t, ...shown('delete -k'))
    matches(
      t,
      deleted,
      /^(validatingadmissionpolicy\S* "garden-\w+" deleted\n){6}((mutating|validating)webhookconfiguration\S* "gardener-operator" deleted\n){2}/,
    )
    contains(t, deleted, `namespace "${namespace}" deleted`)
    lacks(t, deleted, 'customresourcedefinition')
    await succeeds(t, 'get', 'components', '-n', 'shop', 'shop')
    await untilRefused(() => kubectl('get', 'namespace', namespace))
    await succeeds(t, 'apply', '-f', 'manifests/samples/garden.yaml')
    for (const name of foreignNamespaces) await succeeds(t, 'get', 'namespace', name)
    const left = await succeeds(t, 'get', leavable, '-A', '-l', 'app.kubernetes.io/part-of=espalier', '-o', 'name')
    matches(t, left, /^(role|rolebinding)\S+\n/m, 'those of manifests/namespaces')
    await succeeds(t, 'delete', '-f', 'manifests/namespaces')
    t.equal(await succeeds(t, 'get', leavable, '-A', '-l', 'app.kubernetes.io/part-of=espalier', '-o', 'name'), '')
  },
)

/** Every kind that is deployed but for our definitions. */
const leavable = [
  ...['namespaces', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations', 'clusterroles'],
  ...['clusterrolebindings', 'roles', 'rolebindings', 'serviceaccounts', 'deployments', 'services', 'configmaps'],
  ...['networkpolicies', 'poddisruptionbudgets'],
  ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
].join(',')
