// A Manifest of a runtime: layer and default object are installed, the layer is replaced by another one, and all are removed once nobody
// uses the module any more.
import { stringify } from 'yaml'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { digestOf } from '../../make/artifact.ts'
import { accessSecret, kyma, moduleManifest } from '../../make/kyma.ts'
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

const first = layer(configMap('kept', 'one'), configMap('dropped', 'one'))
const second = layer(configMap('kept', 'two'), configMap('added', 'two'))

/** Its kind is served from the beginning, so that it can be observed. */
const moduleKind = { apiVersion: 'operator.kyma-project.io/v1alpha2', kind: 'Istio' }
const defaultObject = { ...moduleKind, metadata: { name: 'default', namespace: place } }
const ofUser: KubeObject = { ...moduleKind, metadata: { name: 'own', namespace: place } }

const theManifest: ObjectRef = { ...manifestKind, namespace, name: 'faulty' }
const refTo = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: place, name })

const source = (blob: Buffer) => ({ repo: 'registry.invalid', name: 'x', ref: digestOf(blob), type: 'oci-ref' })
const install = (blob: Buffer) => ({ name: 'raw-manifest', source: source(blob) })

const installed =
  (text: string, names: readonly string[], wantedState = 'Ready'): Stage['faults'] =>
  objects => {
    const found = objects.filter(({ kind }) => kind === 'ConfigMap')
    const is = found.map(({ metadata, data }) => `${metadata.name} ${isMap(data) && data.text}`).sort()
    const wanted = names.map(name => `${name} ${text}`).sort()
    const { state } = (objects.find(({ kind }) => kind === 'Manifest')?.status ?? {}) as { state?: string }
    return [
      ...(is.join() === wanted.join() ? [] : [`there are ${is}, not ${wanted}`]),
      ...(objects.some(one => one.kind === moduleKind.kind && one.metadata.name === 'default')
        ? []
        : ['the default object is missing']),
      ...(state === wantedState ? [] : [`its state is ${state}`]),
    ]
  }

const gone: Stage['faults'] = objects =>
  objects.filter(({ kind }) => kind !== 'Kyma').map(({ kind, metadata }) => `${kind} ${metadata.name} is still there`)

export const scenarios: readonly Scenario[] = [
  {
    title: 'a layer is installed, replaced and removed',
    key: { namespace, name: theManifest.name },
    crds: ['kymas', 'manifests', 'istios'].map(plural => `operator.kyma-project.io_${plural}.yaml`),
    namespaces: [namespace, place],
    blobs: [first, second],
    accessSecret: kubeconfig => accessSecret('faulty-kyma', kubeconfig),
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
        faults: installed('one', ['kept', 'dropped']),
      },
      {
        title: 'another layer',
        change: people => people.change(theManifest, { spec: { install: install(second) } }),
        faults: installed('two', ['kept', 'added']),
      },
      {
        title: 'the Manifest is deleted while somebody uses the module',
        change: async people => {
          await people.create(ofUser)
          await people.delete(theManifest)
        },
        faults: installed('two', ['kept', 'added'], 'Deleting'),
      },
      {
        title: 'nobody uses it any more',
        change: people => people.delete({ ...moduleKind, namespace: place, name: ofUser.metadata.name }),
        faults: gone,
      },
    ],
  },
]
