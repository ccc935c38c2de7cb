// A Kyma and its modules: they come, are updated, edited by hand, taken out, and go with the Kyma.
import { runtimeNamespace } from '../../../functions/kyma/desired/runtime-objects.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { accessSecret, kyma, moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import type { People, Scenario, Stage } from '../scenario.ts'

const namespace = 'kcp-system'
const theKyma: ObjectRef = { ...kymaKind, namespace, name: 'faulty' }
const there = 'kyma-system'
const theCopy: ObjectRef = { ...kymaKind, namespace: there, name: 'default' }
const theMeta: ObjectRef = { ...moduleReleaseMetaKind, namespace, name: 'telemetry' }
const manifestRef = (name: string): ObjectRef => ({ ...manifestKind, namespace, name })
const [telemetry, keda] = ['faulty-telemetry-812080235', 'faulty-keda-1095022605']

const templateOf = (module: string, version: string, spec: object = {}): KubeObject =>
  moduleTemplate({
    metadata: { name: `${module}-${version}` },
    spec: {
      moduleName: module,
      version,
      ...spec,
      descriptor: { component: { name: `kyma-project.io/module/${module}`, version } },
    },
  })

const channelsOf = (version: string) => ({ spec: { channels: [{ channel: 'regular', version }] } })

const reported =
  (state: 'Ready' | 'Error', ...names: readonly string[]) =>
  async (people: People): Promise<void> => {
    for (const name of names) await people.changeStatus(manifestRef(name), { state })
  }

type Standing = { readonly state: string; readonly modules: readonly string[]; readonly manifests: readonly string[] }

/** The state of the Kyma, `name version state` of its modules, `name version` of its Manifests. */
const stands =
  (wanted: Standing): Stage['faults'] =>
  objects => {
    const { status } = objects.find(({ kind }) => kind === 'Kyma') as Kyma
    const manifests = objects.filter(({ kind }) => kind === 'Manifest') as Manifest[]
    return [
      ...difference('state', status?.state, wanted.state),
      ...difference(
        'modules',
        (status?.modules ?? []).map(({ name, version, state }) => `${name} ${version} ${state}`),
        wanted.modules,
      ),
      ...difference('Manifests', manifests.map(({ metadata, spec }) => `${metadata.name} ${spec.version}`).sort(), [
        ...wanted.manifests,
      ]),
    ]
  }

const difference = (what: string, found: unknown, wanted: unknown): string[] => {
  const [is, should] = [found, wanted].map(value => JSON.stringify(value))
  return is === should ? [] : [`${what}: ${is}; wanted: ${should}`]
}

type RuntimeStanding = { readonly state: string; readonly account?: string; readonly catalogue: readonly string[] }

/** The state of Kyma and copy, the account label of the copy, the names in the catalogue. */
const inRuntime =
  ({ state, account, catalogue }: RuntimeStanding): Stage['faults'] =>
  objects => {
    const of = (place: string) => objects.find(one => one.kind === 'Kyma' && one.metadata.namespace === place) as Kyma
    const entries = objects.filter(one => one.kind.startsWith('Module') && one.metadata.namespace === there)
    return [
      ...difference('state', of(namespace).status?.state, state),
      ...difference('state of the copy', of(there)?.status?.state, state),
      ...difference('account', of(there)?.metadata.labels?.[kymaNames.labels.subaccountId], account),
      ...difference('catalogue', entries.map(({ metadata }) => metadata.name).sort(), [...catalogue]),
    ]
  }

export const scenarios: readonly Scenario[] = [
  {
    title: 'modules come, are updated, taken out and deleted',
    key: { namespace, name: theKyma.name },
    crds: ['kymas', 'manifests', 'moduletemplates', 'modulereleasemetas'].map(
      plural => `operator.kyma-project.io_${plural}.yaml`,
    ),
    namespaces: [namespace],
    observes: [kymaKind, manifestKind, moduleTemplateKind, moduleReleaseMetaKind].map(kind => ({ ...kind, namespace })),
    dependent: manifestRef(telemetry),
    rivalry: { leaves: ['status'] },
    stages: [
      {
        title: 'a Kyma with two modules, one of a release and one found by its channel',
        change: async people => {
          for (const version of ['1.2.3', '1.3.0']) await people.create(templateOf('telemetry', version))
          await people.create(moduleReleaseMeta())
          await people.create(templateOf('keda', '2.0.0', { channel: 'regular' }))
          const modules = [{ name: 'telemetry' }, { name: 'keda' }]
          await people.create(kyma({ metadata: { name: theKyma.name }, spec: { remote: { enabled: false }, modules } }))
        },
        faults: stands({
          state: 'Processing',
          modules: ['telemetry 1.2.3 Processing', 'keda 2.0.0 Processing'],
          manifests: [`${keda} 2.0.0`, `${telemetry} 1.2.3`],
        }),
      },
      {
        title: 'both are installed',
        change: reported('Ready', telemetry, keda),
        faults: stands({
          state: 'Ready',
          modules: ['telemetry 1.2.3 Ready', 'keda 2.0.0 Ready'],
          manifests: [`${keda} 2.0.0`, `${telemetry} 1.2.3`],
        }),
      },
      {
        title: 'the channel moves on, and somebody edits a Manifest',
        change: async people => {
          await people.change(theMeta, channelsOf('1.3.0'))
          await people.change(manifestRef(keda), { spec: { version: '9.9.9' }, metadata: { annotations: null } })
        },
        faults: stands({
          state: 'Ready',
          modules: ['telemetry 1.3.0 Ready', 'keda 2.0.0 Ready'],
          manifests: [`${keda} 2.0.0`, `${telemetry} 1.3.0`],
        }),
      },
      {
        title: 'one is taken out, the other breaks',
        change: async people => {
          await people.change(theKyma, { spec: { modules: [{ name: 'telemetry' }] } })
          await reported('Error', telemetry)(people)
        },
        faults: stands({ state: 'Error', modules: ['telemetry 1.3.0 Error'], manifests: [`${telemetry} 1.3.0`] }),
      },
      {
        title: 'the Kyma is deleted',
        change: people => people.delete(theKyma),
        faults: objects =>
          objects
            .filter(({ kind }) => kind === 'Kyma' || kind === 'Manifest')
            .map(({ kind, metadata }) => `${kind} ${metadata.name} is left`),
      },
    ],
  },
  {
    title: 'the copy and the catalogue in a runtime come, are edited by hand and go',
    key: { namespace, name: theKyma.name },
    crds: ['kymas', 'manifests', 'moduletemplates', 'modulereleasemetas'].map(
      plural => `operator.kyma-project.io_${plural}.yaml`,
    ),
    namespaces: [namespace, there],
    accessSecret: kubeconfig => accessSecret(theKyma.name, kubeconfig),
    observes: [
      { ...manifestKind, namespace },
      ...[namespace, there].flatMap(place =>
        [kymaKind, moduleTemplateKind, moduleReleaseMetaKind].map(kind => ({ ...kind, namespace: place })),
      ),
    ],
    dependent: manifestRef(telemetry),
    rivalry: { leaves: ['status', 'labels'] },
    stages: [
      {
        title: 'a Kyma with a module',
        change: async people => {
          const { labels } = runtimeNamespace(there).metadata
          await people.change(
            { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: there },
            { metadata: { labels } },
          )
          await people.create(templateOf('telemetry', '1.2.3'))
          await people.create(moduleReleaseMeta())
          await people.create(kyma({ metadata: { name: theKyma.name }, spec: { modules: [{ name: 'telemetry' }] } }))
        },
        faults: inRuntime({ state: 'Processing', catalogue: ['telemetry', 'telemetry-1.2.3'] }),
      },
      {
        title: 'the module is installed, an account gets its label',
        change: async people => {
          await reported('Ready', telemetry)(people)
          await people.change(theKyma, { metadata: { labels: { [kymaNames.labels.subaccountId]: 'sa' } } })
        },
        faults: inRuntime({ state: 'Ready', account: 'sa', catalogue: ['telemetry', 'telemetry-1.2.3'] }),
      },
      {
        title: 'the owner takes the module out of the copy and one object out of the catalogue',
        change: async people => {
          await people.change(theCopy, { spec: { modules: [] } })
          await people.delete({ ...moduleReleaseMetaKind, namespace: there, name: 'telemetry' })
          await people.change(theKyma, { metadata: { labels: { [kymaNames.labels.subaccountId]: 'other' } } })
        },
        faults: inRuntime({ state: 'Ready', account: 'other', catalogue: ['telemetry', 'telemetry-1.2.3'] }),
      },
      {
        title: 'the Kyma is deleted',
        change: people => people.delete(theKyma),
        faults: objects =>
          objects
            .filter(({ kind, metadata }) => kind === 'Kyma' || metadata.namespace === there)
            .map(({ kind, metadata }) => `${kind} ${metadata.name} is left`),
      },
    ],
  },
]
