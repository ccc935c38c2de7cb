// A Manifest of a runtime: layer, a definition in it, and default object are installed, the layer is replaced by another one, and all are
// removed once nobody uses the module any more, but for what another Manifest lists: that goes to it.
import { stringify } from 'yaml'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { isRealCluster } from '../../harness/clusters/any-cluster.ts'
import { digestOf } from '../../make/artifact.ts'
import { accessSecret, kyma, moduleManifest } from '../../make/kyma/kyma.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'kcp-system'
const place = 'faulty-module'
const { labels, managedBy } = kymaNames

const configMap = (name: string, text: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: place },
  data: { text },
})

const layer = (...objects: KubeObject[]): Buffer => Buffer.from(objects.map(object => stringify(object)).join('---\n'))

const definition = (short: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'parts.faulty.example' },
  spec: {
    group: 'faulty.example',
    names: { kind: 'Part', plural: 'parts', singular: 'part', listKind: 'PartList', shortNames: [short] },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})

/** A real control plane takes seconds to end a definition, and there are dozens of runs. */
const hasDefinition = !isRealCluster

const layerOf = (text: string, names: readonly string[]): Buffer =>
  layer(...names.map(name => configMap(name, text)), ...(hasDefinition ? [definition(text)] : []))

const first = layerOf('one', ['kept', 'dropped', 'shared'])
const second = layerOf('two', ['kept', 'added', 'shared'])

/** Its kind is served from the beginning, so that it can be observed. */
const moduleKind = { apiVersion: 'operator.kyma-project.io/v1alpha2', kind: 'Istio' }
const defaultObject = { ...moduleKind, metadata: { name: 'default', namespace: place } }
const ofUser: KubeObject = { ...moduleKind, metadata: { name: 'own', namespace: place } }

const theManifest: ObjectRef = { ...manifestKind, namespace, name: 'faulty' }
/** Nobody looks after it: it is there for its list. */
const theHeir: ObjectRef = { ...manifestKind, namespace, name: 'heir' }
const listedByHeir = { group: '', version: 'v1', kind: 'ConfigMap', namespace: place, name: 'shared' }
const refTo = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: place, name })

const source = (blob: Buffer) => ({ repo: 'registry.invalid', name: 'x', ref: digestOf(blob), type: 'oci-ref' })
const install = (blob: Buffer) => ({ name: 'raw-manifest', source: source(blob) })

type Named = { names?: { shortNames?: readonly string[] } }

const installed =
  (text: string, names: readonly string[], wantedState = 'Ready'): Stage['faults'] =>
  objects => {
    const found = objects.filter(({ kind }) => kind === 'ConfigMap')
    const { names: named } = (objects.find(({ kind }) => kind === 'CustomResourceDefinition')?.spec ?? {}) as Named
    const is = found.map(({ metadata, data }) => `${metadata.name} ${isMap(data) && data.text}`).sort()
    const wanted = names.map(name => `${name} ${text}`).sort()
    const { state } = (objects.find(({ metadata }) => metadata.name === theManifest.name)?.status ?? {}) as {
      state?: string
    }
    return [
      ...(!hasDefinition || named?.shortNames?.join() === text ? [] : ['the definition is not that of the layer']),
      ...(is.join() === wanted.join() ? [] : [`there are ${is}, not ${wanted}`]),
      ...(objects.some(one => one.kind === moduleKind.kind && one.metadata.name === 'default')
        ? []
        : ['the default object is missing']),
      ...(state === wantedState ? [] : [`its state is ${state}`]),
    ]
  }

const gone: Stage['faults'] = objects => [
  ...objects
    .filter(({ kind, metadata }) => kind !== 'Kyma' && ![theHeir.name, listedByHeir.name].includes(metadata.name))
    .map(({ kind, metadata }) => `${kind} ${metadata.name} is still there`),
  ...(ownerOf(objects, listedByHeir.name) === theHeir.name ? [] : ['what the heir lists is not its own']),
]

const ownerOf = (objects: readonly KubeObject[], name: string): string | undefined =>
  objects
    .find(({ metadata }) => metadata.name === name)
    ?.metadata.annotations?.['manifest.operator.kyma-project.io/owner-id']?.split('/')
    .at(-1)

export const scenarios: readonly Scenario[] = [
  {
    title: 'a layer is installed, replaced and removed',
    key: { namespace, name: theManifest.name },
    crds: ['kymas', 'manifests', 'istios'].map(plural => `operator.kyma-project.io_${plural}.yaml`),
    namespaces: [namespace, place],
    blobs: [first, second],
    accessSecret: kubeconfig => accessSecret('faulty-kyma', kubeconfig),
    // A definition is established a moment after it was written.
    ...(hasDefinition && { goesOnAfterSeconds: 5 }),
    observes: [
      { ...manifestKind, namespace },
      { ...kymaKind, namespace },
      { ...moduleKind, namespace: place },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: place,
        labelSelector: `${labels.managedBy}=${managedBy.runtime}`,
      },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        labelSelector: `${labels.managedBy}=${managedBy.runtime}`,
      },
    ],
    dependent: refTo('kept'),
    rivalry: { leaves: ['annotations'] },
    stages: [
      {
        title: 'a Kyma and its Manifest',
        change: async people => {
          await people.create(kyma({ metadata: { name: 'faulty-kyma' } }))
          await people.create(
            moduleManifest({
              metadata: { name: theManifest.name, labels: { [labels.kymaName]: 'faulty-kyma' } },
              spec: { install: install(first), resource: defaultObject },
            }),
          )
        },
        faults: installed('one', ['kept', 'dropped', 'shared']),
      },
      {
        title: 'another layer, and another Manifest that lists an object of it',
        change: async people => {
          const ofHeir = { [labels.kymaName]: 'faulty-kyma', [labels.skipReconciliation]: 'true' }
          await people.create(moduleManifest({ metadata: { name: theHeir.name, labels: ofHeir } }))
          await people.changeStatus(theHeir, { state: 'Ready', synced: [listedByHeir] })
          await people.change(theManifest, { spec: { install: install(second) } })
        },
        faults: installed('two', ['kept', 'added', 'shared']),
      },
      {
        title: 'the Manifest is deleted while somebody uses the module',
        change: async people => {
          await people.create(ofUser)
          await people.delete(theManifest)
        },
        faults: installed('two', ['kept', 'added', 'shared'], 'Deleting'),
      },
      {
        title: 'nobody uses it any more',
        change: people => people.delete({ ...moduleKind, namespace: place, name: ofUser.metadata.name }),
        faults: gone,
      },
    ],
  },
]
