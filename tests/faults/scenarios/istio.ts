// An Istio: charts of few objects and the mesh resources are installed, follow its spec, and come back; at last it is deleted.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { type IstioFields, istioKind } from '../../../shared/api/istio.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { isAlreadyExists } from '../../../shared/kube/errors.ts'
import { canary } from '../../../shared/main/own/trial.ts'
import type { Scenario, Stage } from '../scenario.ts'

const { control, mesh } = istioNames.namespaces
const theIstio: ObjectRef = { ...istioKind, namespace: control, name: 'faulty' }
const peerAuthentication = { apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication' }
const envoyFilter = { apiVersion: 'networking.istio.io/v1alpha3', kind: 'EnvoyFilter' }
const priorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }
const home = 'espalier-system'
const strictness: ObjectRef = { ...peerAuthentication, namespace: mesh, name: 'default' }

/** Made once and then kept in the memory of programs, so it is not the function that makes it here. */
const renderKey: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'espalier-render-key', namespace: home },
  data: { key: Buffer.from(canary).toString('base64') },
}

/** It ends with the mesh, and whoever has rights in it makes it again: so it is there before each run. */
const meshNamespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: mesh } }

const unlessThere = (error: unknown): void => {
  if (!isAlreadyExists(error)) throw error
}

const appliedOf = ({ metadata }: KubeObject): string => metadata.annotations?.[istioNames.annotations.lastApplied] ?? ''

/** All is well, and the annotation holds all of the spec. */
const ready =
  (trustDomain: string): Stage['faults'] =>
  objects => {
    const istio = objects.find(({ kind }) => kind === istioKind.kind)
    const { state } = (istio?.status ?? {}) as { state?: string }
    const configs = objects.filter(({ kind }) => kind === 'ConfigMap')
    const mesh = configs.find(({ metadata }) => metadata.name === 'istio-discovery')?.data as Record<string, string>
    const strict = objects.find(({ kind }) => kind === peerAuthentication.kind)?.spec as { mtls?: { mode?: string } }
    const isSaved = istio && appliedOf(istio).includes('"other"') === (trustDomain === 'other')
    return [
      ...(state === 'Ready' ? [] : [`its state is ${state}`]),
      ...(configs.length === 5 ? [] : [`there are ${configs.length} ConfigMaps of charts`]),
      ...(mesh?.trustDomain === trustDomain ? [] : [`the trust domain is ${mesh?.trustDomain}`]),
      ...(strict?.mtls?.mode === 'STRICT' ? [] : ['the mesh is not strict']),
      ...(isSaved ? [] : ['the annotation does not tell what is in force']),
    ]
  }

/** The digest of what gateways have to take up is made of times, too. */
const withoutDigests = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  objects.map(object => {
    const { restarts, ...status } = (object.status ?? {}) as NonNullable<IstioFields['status']>
    const targets = restarts?.map(({ target, since }) => ({ target, since }))
    return targets ? { ...object, status: { ...status, restarts: targets } } : object
  })

export const scenarios: readonly Scenario[] = [
  {
    title: 'a mesh follows its Istio',
    key: { namespace: control, name: theIstio.name },
    crds: [
      'operator.kyma-project.io_istios.yaml',
      ...['peerauthentications', 'envoyfilters'].map(name => `../../tests/harness/clusters/crds/${name}.yaml`),
    ],
    namespaces: [control, home],
    observes: [
      { ...istioKind, namespace: control },
      ...[peerAuthentication, envoyFilter].map(kind => ({ ...kind, namespace: mesh })),
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: mesh, labelSelector: 'operator.istio.io/component' },
      { ...priorityClass, fieldSelector: 'metadata.name=istio-kyma-priority' },
      { apiVersion: 'v1', kind: 'Secret', namespace: home, fieldSelector: 'metadata.name=espalier-render-key' },
    ],
    dependent: strictness,
    masked: withoutDigests,
    // What is to be restarted is noted first.
    goesOnAfterSeconds: 1,
    stages: [
      {
        title: 'an Istio',
        change: async people => {
          await people.create(renderKey)
          await people.create(meshNamespace).catch(unlessThere)
          await people.create({ ...istioKind, metadata: { name: theIstio.name, namespace: control }, spec: {} })
        },
        faults: ready('cluster.local'),
      },
      {
        title: 'the spec changes, and somebody lets everybody in',
        change: async people => {
          await people.change(strictness, { spec: { mtls: { mode: 'PERMISSIVE' } } })
          await people.change(theIstio, { spec: { config: { trustDomain: 'other' } } })
        },
        faults: ready('other'),
      },
      {
        title: 'the Istio is deleted',
        change: people => people.delete(theIstio),
        faults: objects => objects.flatMap(({ kind }) => (kind === istioKind.kind ? ['the Istio is still there'] : [])),
      },
    ],
  },
]
