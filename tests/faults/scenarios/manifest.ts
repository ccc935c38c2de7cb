// A Manifest whose Kyma has its modules in this cluster: the layer is installed, replaced by another one, and removed.
import { stringify } from 'yaml'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { isMap } from '../../../shared/core/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/object.ts'
import { digestOf } from '../../make/artifact.ts'
import { kyma, moduleManifest } from '../../make/kyma.ts'
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

const theManifest: ObjectRef = { ...manifestKind, namespace, name: 'faulty' }
const refTo = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: place, name })

const source = (blob: Buffer) => ({ repo: 'registry.invalid', name: 'x', ref: digestOf(blob), type: 'oci-ref' })
const install = (blob: Buffer) => ({ name: 'raw-manifest', source: source(blob) })

const installed =
  (text: string, ...names: readonly string[]): Stage['faults'] =>
  objects => {
    const found = objects.filter(({ kind }) => kind === 'ConfigMap')
    const is = found.map(({ metadata, data }) => `${metadata.name} ${isMap(data) && data.text}`).sort()
    const wanted = names.map(name => `${name} ${text}`).sort()
    const { state } = (objects.find(({ kind }) => kind === 'Manifest')?.status ?? {}) as { state?: string }
    return [
      ...(is.join() === wanted.join() ? [] : [`there are ${is}, not ${wanted}`]),
      ...(state === 'Ready' ? [] : [`its state is ${state}`]),
    ]
  }

const gone: Stage['faults'] = objects =>
  objects.filter(({ kind }) => kind !== 'Kyma').map(({ kind, metadata }) => `${kind} ${metadata.name} is still there`)

export const scenarios: readonly Scenario[] = [
  {
    title: 'a layer is installed, replaced and removed',
    key: { namespace, name: theManifest.name },
    crds: ['kymas', 'manifests'].map(plural => `operator.kyma-project.io_${plural}.yaml`),
    namespaces: [namespace, place],
    blobs: [first, second],
    observes: [
      { ...manifestKind, namespace },
      { ...kymaKind, namespace },
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
          await people.create(kyma({ metadata: { name: 'faulty-kyma' }, spec: { remote: { enabled: false } } }))
          await people.create(
            moduleManifest({
              metadata: { name: theManifest.name, labels: { [labels.kymaName]: 'faulty-kyma' } },
              spec: { install: install(first) },
            }),
          )
        },
        faults: installed('one', 'kept', 'dropped'),
      },
      {
        title: 'another layer',
        change: people => people.change(theManifest, { spec: { install: install(second) } }),
        faults: installed('two', 'kept', 'added'),
      },
      {
        title: 'the Manifest is deleted',
        change: people => people.delete(theManifest),
        faults: gone,
      },
    ],
  },
]
