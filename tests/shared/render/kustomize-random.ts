// Random kustomizations: a base of common kinds under one or two overlays with random settings and patches. Names are
// drawn from few, so that references, conflicts and merges do happen.
import fc, { type Arbitrary } from 'fast-check'
import { type Case, filesOf } from './kustomize-oracle.ts'

const name = fc.constantFrom('a', 'b', 'c')
const word = fc.constantFrom('x', 'y', '1', 'true', 'v:1')
const number = fc.integer({ min: 1, max: 3 })
const some = <Value>(value: Arbitrary<Value>, max = 3): Arbitrary<Value[]> =>
  fc.array(value, { minLength: 1, maxLength: max })
const maybe = <Value>(value: Arbitrary<Value>): Arbitrary<Value | undefined> => fc.option(value, { nil: undefined })
const texts = fc.dictionary(name, word, { maxKeys: 2, noNullPrototype: true })
const namespace = fc.constantFrom(undefined, undefined, 'one', 'two', 'default')

const metadata = fc.record({ name, namespace, labels: maybe(texts), annotations: maybe(texts) })

const env = fc.oneof(
  fc.record({ name, value: word }),
  fc.record({ name, valueFrom: fc.record({ configMapKeyRef: fc.record({ name, key: word }) }) }),
)
const port = fc.record(
  { containerPort: number, protocol: fc.constantFrom('TCP', 'UDP'), name },
  { requiredKeys: ['containerPort'] },
)
const container = fc.record(
  {
    name,
    image: fc.constantFrom('app', 'app:1', 'repo.example.com:5000/app:2', 'app@sha256:12', 'other:3'),
    env: some(env),
    ports: some(port),
    args: some(word),
    volumeMounts: some(fc.record({ mountPath: word, name })),
    envFrom: some(fc.record({ configMapRef: fc.record({ name }) })),
  },
  { requiredKeys: ['name'] },
)
const volume = fc.oneof(
  fc.record({ name, configMap: fc.record({ name }) }),
  fc.record({ name, secret: fc.record({ secretName: name }) }),
  fc.record({ name, emptyDir: fc.constant({}) }),
)
const podSpec = fc.record(
  {
    containers: some(container),
    initContainers: some(container, 1),
    volumes: some(volume),
    serviceAccountName: name,
    imagePullSecrets: some(fc.record({ name })),
    tolerations: some(fc.record({ key: word })),
    nodeSelector: texts,
  },
  { requiredKeys: ['containers'] },
)

const kinds: readonly Arbitrary<object>[] = [
  fc.record({ kind: fc.constant('ConfigMap'), apiVersion: fc.constant('v1'), metadata, data: texts }),
  fc.record({ kind: fc.constant('Secret'), apiVersion: fc.constant('v1'), metadata, stringData: texts }),
  fc.record({
    kind: fc.constant('ServiceAccount'),
    apiVersion: fc.constant('v1'),
    metadata,
    secrets: maybe(some(fc.record({ name }))),
  }),
  fc.record({
    kind: fc.constant('Service'),
    apiVersion: fc.constant('v1'),
    metadata,
    spec: fc.record({
      selector: maybe(texts),
      ports: some(
        fc.record(
          { port: number, protocol: fc.constantFrom('TCP', 'UDP'), targetPort: word },
          { requiredKeys: ['port'] },
        ),
      ),
    }),
  }),
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map(kind =>
    fc.record({
      kind: fc.constant(kind),
      apiVersion: fc.constant('apps/v1'),
      metadata,
      spec: fc.record(
        {
          replicas: number,
          selector: fc.record({ matchLabels: texts }),
          template: fc.record({ metadata: fc.record({ labels: texts }), spec: podSpec }),
        },
        { requiredKeys: ['template'] },
      ),
    }),
  ),
  fc.record({
    kind: fc.constant('RoleBinding'),
    apiVersion: fc.constant('rbac.authorization.k8s.io/v1'),
    metadata,
    roleRef: fc.record({
      apiGroup: fc.constant('rbac.authorization.k8s.io'),
      kind: fc.constantFrom('Role', 'ClusterRole'),
      name,
    }),
    subjects: some(
      fc.record({
        kind: fc.constant('ServiceAccount'),
        name: fc.constantFrom('a', 'default'),
        namespace: fc.constantFrom('one', 'default'),
      }),
    ),
  }),
  ...['Role', 'ClusterRole'].map(kind =>
    fc.record({
      kind: fc.constant(kind),
      apiVersion: fc.constant('rbac.authorization.k8s.io/v1'),
      metadata,
      rules: fc.constant([{ apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] }]),
    }),
  ),
  fc.record({
    kind: fc.constant('Widget'),
    apiVersion: fc.constantFrom('example.com/v1', 'example.com/v2'),
    metadata,
    spec: fc.record({ list: some(fc.record({ name, value: number })), size: maybe(number), map: maybe(texts) }),
  }),
]

type Resource = { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } }

const resources = fc.uniqueArray(fc.oneof(...kinds) as Arbitrary<Resource>, {
  minLength: 1,
  maxLength: 7,
  selector: ({ apiVersion, kind, metadata }) =>
    [apiVersion, kind, metadata.name, kind === 'ClusterRole' ? '' : (metadata.namespace ?? 'default')].join(),
})

const patchedContainer = fc.record(
  {
    name,
    $patch: fc.constantFrom(undefined, undefined, undefined, 'delete', 'replace', 'merge'),
    image: maybe(fc.constant('patched')),
    env: maybe(some(fc.oneof(env, fc.record({ name, $patch: fc.constant('delete') })))),
    ports: maybe(some(port)),
    args: fc.constantFrom(undefined, null, ['new']),
    volumeMounts: maybe(some(fc.record({ mountPath: word, name }))),
  },
  { requiredKeys: ['name'] },
)

const bodies: readonly Arbitrary<object>[] = [
  fc.record({
    metadata: fc.record({ labels: fc.dictionary(name, fc.option(word), { maxKeys: 2, noNullPrototype: true }) }),
  }),
  fc.record({ metadata: fc.record({ annotations: fc.oneof(texts, fc.constant(null)) }) }),
  fc.record({
    spec: fc.record({
      replicas: fc.option(number),
      template: fc.record({ spec: fc.record({ containers: some(patchedContainer) }) }),
    }),
  }),
  fc.record({
    spec: fc.record({
      template: fc.record({
        spec: fc.record(
          {
            volumes: some(fc.oneof(volume, fc.record({ name, $patch: fc.constant('delete') }))),
            imagePullSecrets: some(
              fc.oneof(fc.record({ name }), fc.record({ $patch: fc.constantFrom('replace', 'delete', 'merge') })),
            ),
            tolerations: some(fc.record({ key: word })),
            nodeSelector: fc.oneof(texts, fc.constant(null), fc.constant({ $patch: 'replace', z: 'z' })),
          },
          { requiredKeys: [] },
        ),
      }),
    }),
  }),
  fc.record({
    spec: fc.record({
      ports: some(
        fc.record(
          { port: number, protocol: fc.constantFrom('TCP', 'UDP'), targetPort: word },
          { requiredKeys: ['port'] },
        ),
      ),
    }),
  }),
  fc.record({ spec: fc.record({ list: fc.option(some(fc.record({ name }))), map: fc.option(texts) }) }),
  fc.record({ data: fc.option(texts) }),
  fc.constant({ $patch: 'delete' }),
]

const operation = fc.oneof(
  fc.record({
    op: fc.constant('add'),
    path: fc.constantFrom('/metadata/labels/a', '/metadata/annotations/z', '/spec/replicas', '/data/n'),
    value: word,
  }),
  fc.record({
    op: fc.constant('replace'),
    path: fc.constantFrom('/metadata/labels', '/spec/size', '/metadata/name'),
    value: fc.constantFrom<unknown>({ q: 'q' }, 'renamed'),
  }),
  fc.record({ op: fc.constant('remove'), path: fc.constantFrom('/spec', '/metadata/labels', '/data') }),
  fc.record({
    op: fc.constant('add'),
    path: fc.constant('/spec/template/spec/containers/-'),
    value: fc.constant({ name: 'z' }),
  }),
)

const kind = fc.constantFrom(
  'Deployment',
  'StatefulSet',
  'ConfigMap',
  'Secret',
  'Service',
  'Widget',
  'Role',
  'DaemonSet',
)
const target = fc.record(
  {
    kind: fc.constantFrom('Deployment', 'StatefulSet|Widget', 'Config.*', '.*Role', 'S.*'),
    name: fc.constantFrom('a', 'a|b', '.*'),
    namespace,
    labelSelector: fc.constantFrom('a', 'b=x', 'c notin (y),!b'),
  },
  { requiredKeys: ['kind'] },
)

const patch = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      target: maybe(target),
      kind,
      name,
      namespace,
      body: fc.oneof(...bodies),
      options: fc.constantFrom(undefined, undefined, { allowNameChange: true }, { allowKindChange: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ target, operations: some(operation, 2) }) },
)

const label = fc.record(
  { pairs: texts, includeSelectors: fc.boolean(), includeTemplates: fc.boolean() },
  { requiredKeys: ['pairs'] },
)

const image = fc.record(
  {
    name: fc.constantFrom('app', 'other', '.*app'),
    newTag: word,
    newName: fc.constantFrom('new'),
    digest: fc.constant('sha256:00'),
  },
  { requiredKeys: ['name'] },
)

const generator = fc.record(
  {
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    literals: fc.uniqueArray(fc.constantFrom('k=v', 'l=w', 'm='), { minLength: 1 }),
    behavior: fc.constantFrom('create', 'create', 'create', 'merge', 'replace'),
    options: fc.record({ disableNameSuffixHash: fc.boolean(), labels: texts }),
  },
  { requiredKeys: ['name', 'literals'] },
)

const replacement = fc.record({
  source: fc.record(
    {
      kind,
      name,
      fieldPath: fc.constantFrom('metadata.name', 'spec.replicas', 'data.a', 'spec.template.spec.containers.0.image'),
    },
    { requiredKeys: ['kind'] },
  ),
  targets: some(
    fc.record({
      select: fc.record({ kind, name: maybe(name) }),
      fieldPaths: some(
        fc.constantFrom(
          'metadata.annotations.made',
          'spec.template.spec.containers.[name=a].image',
          'data.b',
          'spec.size',
          'spec.list.*.value',
          'spec.list.[name=b].name',
        ),
        1,
      ),
      options: fc.record({
        create: fc.boolean(),
        delimiter: maybe(fc.constant(':')),
        index: fc.integer({ min: -1, max: 2 }),
      }),
    }),
    2,
  ),
})

/** Each with how often it is drawn: what fails easily, or hides what others do, is rarer. */
const features = {
  namePrefix: [4, fc.constantFrom('p-', 'q-')],
  nameSuffix: [3, fc.constantFrom('-s', '-t')],
  namespace: [3, fc.constantFrom('one', 'three')],
  commonLabels: [2, texts],
  labels: [2, some(label, 2)],
  commonAnnotations: [2, texts],
  images: [3, some(image, 2)],
  replicas: [1, some(fc.record({ name, count: number }), 1)],
  configMapGenerator: [3, fc.uniqueArray(generator, { maxLength: 2, selector: ({ name }) => name })],
  secretGenerator: [2, fc.uniqueArray(generator, { maxLength: 1, selector: ({ name }) => name })],
  generatorOptions: [1, fc.record({ disableNameSuffixHash: fc.boolean(), annotations: texts })],
  sortOptions: [1, fc.constantFrom({ order: 'fifo' }, { order: 'legacy' })],
  patches: [9, some(patch, 2)],
  replacements: [1, some(replacement, 1)],
} as const satisfies Record<string, readonly [number, Arbitrary<unknown>]>

const feature = fc.oneof(
  ...Object.entries(features).map(([key, [weight, value]]) => ({
    weight,
    arbitrary: (value as Arbitrary<unknown>).map(value => ({ [key]: value })),
  })),
)

const settings: Arbitrary<object> = fc
  .array(feature, { minLength: 1, maxLength: 3 })
  .map(all => Object.assign({}, ...all))

type Settings = { patches?: readonly Patch[]; replacements?: readonly { source: object }[] } & Record<string, unknown>
type Patch = {
  target?: object
  operations?: readonly object[]
  kind?: string
  name?: string
  namespace?: string
  body?: object
  options?: object
}

const apiVersions: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Widget: 'example.com/v1',
  Role: 'rbac.authorization.k8s.io/v1',
}

/** The patch as an entry of a kustomization; by name it is for one of the objects, so that it finds something. */
/** Replacements read from the first object, so that they find something. */
const _sourcesOf = (replacements: readonly { source: object }[], [first]: readonly Resource[]): object[] =>
  replacements.map(({ source, ...rest }) => ({
    ...rest,
    source: { ...source, kind: first?.kind, ...first?.metadata, labels: undefined, annotations: undefined },
  }))

const entryOf = (patch: Patch, [first]: readonly Resource[]): object => {
  const { target, operations, kind = '', name = '', body = {}, options } = patch
  if (operations) return { target, patch: JSON.stringify(operations) }
  const { metadata = {}, ...rest } = body as { metadata?: object }
  const meant = target || !first ? { apiVersion: apiVersions[kind] ?? 'v1', kind, metadata: { name } } : first
  const identity = {
    name: meant.metadata.name,
    namespace: 'namespace' in meant.metadata ? meant.metadata.namespace : undefined,
  }
  const object = { apiVersion: meant.apiVersion, kind: meant.kind, metadata: { ...identity, ...metadata }, ...rest }
  return { target, options, patch: JSON.stringify(object) }
}

const kustomizationOf = (
  { patches, ...rest }: Settings,
  paths: readonly string[],
  objects: readonly Resource[],
): string =>
  JSON.stringify({
    ...rest,
    ...(patches ? { patches: patches.map(patch => entryOf(patch, objects)) } : {}),
    resources: paths,
  })

/** A base, and overlays of which each builds on the one before. */
export const randomCase: Arbitrary<Case> = fc
  .record({
    objects: resources,
    base: settings,
    overlays: fc.array(fc.record({ settings, extra: fc.option(resources) }), { minLength: 0, maxLength: 2 }),
  })
  .map(({ objects, base, overlays }) => {
    const texts: Record<string, string> = {
      'base/kustomization.yaml': kustomizationOf(base as Settings, ['all.yaml'], objects),
      'base/all.yaml': objects.map(object => JSON.stringify(object, null, 1)).join('\n---\n'),
    }
    let path = 'base'
    for (const [index, { settings, extra }] of overlays.entries()) {
      const files = extra ? ['extra.yaml'] : []
      texts[`o${index}/kustomization.yaml`] = kustomizationOf(settings as Settings, [`../${path}`, ...files], objects)
      if (extra) texts[`o${index}/extra.yaml`] = extra.map(object => JSON.stringify(object, null, 1)).join('\n---\n')
      path = `o${index}`
    }
    return { files: filesOf(texts), path }
  })
