// A Component with a chart in a ConfigMap and values out of a Secret: it comes, changes with all that it refers to, and goes.
import type { ComponentSpec } from '../../../shared/api/component.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { canary } from '../../../shared/main/own/trial.ts'
import { component, componentKind } from '../../make/component/component.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'faulty-shop'
const name = 'web'
const home = 'espalier-system'
const labels = { story: namespace }

const dependent = (kind: string, suffix: string, { order = 0, data }: { order?: number; data: string }): string =>
  [
    'apiVersion: v1',
    `kind: ${kind}`,
    `metadata: {name: {{ .Release.Name }}-${suffix}, annotations: {component.core.espalier.dev/apply-order: "${order}"}}`,
    data,
    '',
  ].join('\n')

const templates = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'templates__settings.yaml': dependent('ConfigMap', 'settings', {
    data: 'data: {greeting: {{ .Values.greeting }}}',
  }),
  'templates__login.yaml': dependent('Secret', 'login', { data: 'stringData: {password: {{ .Values.password }}}' }),
}

const late = {
  'templates__late.yaml': dependent('ConfigMap', 'late', { order: 1, data: 'data: {a: b}' }),
}

const chart = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
})

const values = (name: string, password: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace, labels },
  data: { 'values.yaml': Buffer.from(`password: ${password}\n`).toString('base64') },
})

const specOf = (chartName: string, valuesName: string, greeting: string): Partial<ComponentSpec> => ({
  source: { helm: { configMapRef: { name: chartName } } },
  valuesFrom: [{ kind: 'Secret', name: valuesName }],
  values: { greeting },
})

/** Made once and then kept in the memory of programs, so it is not the function that makes it here. */
const renderKey: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'espalier-render-key', namespace: home },
  data: { key: Buffer.from(canary).toString('base64') },
}

/** Each Event would be one more write to be killed after; those of the Component itself do. */
const quietly = { 'component.core.espalier.dev/disable-events': 'true' }

const theComponent: ObjectRef = { ...componentKind, namespace, name }
const ref = (kind: string, suffix: string): ObjectRef => ({
  apiVersion: 'v1',
  kind,
  namespace,
  name: `${name}-${suffix}`,
})

const readyWith =
  (greeting: string, ...suffixes: readonly string[]): Stage['faults'] =>
  objects => {
    const found = objects.filter(object => object.metadata.name.startsWith(`${name}-`))
    const names = found.map(object => object.metadata.name.slice(name.length + 1)).sort()
    const settings = found.find(object => object.metadata.name === `${name}-settings`)?.data
    const { state } = (objects.find(({ kind }) => kind === 'Component')?.status ?? {}) as { state?: string }
    return [
      ...(names.join() === [...suffixes].sort().join() ? [] : [`there are ${names}, not ${suffixes}`]),
      ...(isMap(settings) && settings.greeting === greeting ? [] : [`the greeting is not ${greeting}`]),
      ...(state === 'Ready' ? [] : [`its state is ${state}`]),
    ]
  }

const gone: Stage['faults'] = objects =>
  objects
    .filter(({ metadata }) => metadata.name.startsWith(name))
    .map(({ kind, metadata }) => `${kind} ${metadata.name} is still there`)

export const scenarios: readonly Scenario[] = [
  {
    title: 'a chart is installed, changed and removed',
    key: { namespace, name },
    crds: ['core.espalier.dev_components.yaml'],
    namespaces: [namespace, home],
    observes: [
      { ...componentKind, namespace },
      ...['ConfigMap', 'Secret'].flatMap(kind => [
        { apiVersion: 'v1', kind, namespace, labelSelector: 'component.core.espalier.dev/owner-id' },
        { apiVersion: 'v1', kind, namespace, labelSelector: `story=${namespace}` },
      ]),
      { apiVersion: 'v1', kind: 'Secret', namespace: home, fieldSelector: 'metadata.name=espalier-render-key' },
    ],
    dependent: ref('ConfigMap', 'settings'),
    rivalry: { leaves: ['annotations'] },
    stages: [
      {
        title: 'a Component with a chart of two waves',
        change: async people => {
          const referred = [chart('chart', { ...templates, ...late }), values('values', canary)]
          await Promise.all([...referred, renderKey].map(people.create))
          await people.create(component({ name, namespace, annotations: quietly }, specOf('chart', 'values', 'hello')))
        },
        faults: readyWith('hello', 'settings', 'login', 'late'),
      },
      {
        title: 'the Component changes, and what it refers to',
        // All at once for who reads it: a call that sees half of a change rightly makes a revision of that half.
        change: async people => {
          await Promise.all([chart('chart-2', templates), values('values-2', `${canary}-new`)].map(people.create))
          await people.change(theComponent, { spec: specOf('chart-2', 'values-2', 'changed') })
        },
        faults: readyWith('changed', 'settings', 'login'),
      },
      {
        title: 'the Component is deleted',
        change: people => people.delete(theComponent),
        faults: gone,
      },
    ],
  },
]
