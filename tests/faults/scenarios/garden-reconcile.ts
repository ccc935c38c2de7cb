// The beginning and the end of a Garden: namespace, definitions and authorities are made, the first step that cannot go on says why, and
// all that is ours goes with the Garden. What follows in a bring-up is made in the same way, and is too much to be told for each write.
import { gardenKind, gardenNamespace } from '../../../shared/api/garden.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import '../../harness/garden/quick-keys.ts'
import { gardenWith } from '../../make/garden/garden.ts'
import type { Scenario, Stage } from '../scenario.ts'

const theGarden: ObjectRef = { ...gardenKind, namespace: '', name: 'faulty-garden' }
const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
const ours = 'operator.gardener.cloud/managed-by=garden-reconcile'
const confirmation = 'confirmation.gardener.cloud/deletion'

/** Without an autoscaler of its own, in a cluster that has none: the bring-up ends at the resource manager. */
const unscaled = (): KubeObject => {
  const made = gardenWith({ 'spec.runtimeCluster.settings.verticalPodAutoscaler.enabled': false })
  return { ...made, metadata: { name: theGarden.name, annotations: { [confirmation]: 'true' } } }
}

/** The mesh of somebody else, whose definitions are there. */
const istiod: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'istiod', namespace: 'istio-system' },
  spec: {
    selector: { matchLabels: { app: 'istiod' } },
    template: {
      metadata: { labels: { app: 'istiod' } },
      spec: { containers: [{ name: 'discovery', image: 'registry.example.com/pilot' }] },
    },
  },
}

/** Keys, and the digests of them that names and labels hold, are made anew in each run: what counts is which Secrets there are. */
const masked = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  objects
    .map(object =>
      object.kind === 'Secret' ? shapeOf(object) : object.kind === gardenKind.kind ? unnamed(object) : object,
    )
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const shapeOf = ({ apiVersion, kind, metadata, type, data }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  type,
  metadata: { name: metadata.labels?.name ?? metadata.name, namespace: metadata.namespace },
  data: isMap(data) ? Object.keys(data).sort() : [],
})

const unnamed = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { [confirmation]: 'true' } },
})

const secretsIn = (objects: readonly KubeObject[]) => objects.filter(({ kind }) => kind === 'Secret')

const waitsForAnAutoscaler: Stage['faults'] = objects => {
  const garden = objects.find(({ kind }) => kind === gardenKind.kind)
  const { lastOperation } = (garden?.status ?? {}) as { lastOperation?: { state: string; description: string } }
  const authorities = secretsIn(objects).filter(({ metadata }) => /^ca(-[a-z-]+)?$/.test(metadata.name))
  const names = new Set(authorities.map(({ metadata }) => metadata.name))
  return [
    ...(lastOperation?.state === 'Error' ? [] : [`its state is ${lastOperation?.state}`]),
    ...(lastOperation?.description.includes('VPA is required') ? [] : [`it says ${lastOperation?.description}`]),
    ...(names.size === authorities.length ? [] : [`authorities were made twice: ${authorities.length}`]),
    ...(names.size >= 7 ? [] : [`there are authorities ${[...names]}`]),
  ]
}

const nothingIsLeft: Stage['faults'] = objects =>
  objects.flatMap(({ kind, metadata }) => (metadata.name === 'istiod' ? [] : [`${kind} ${metadata.name} is left`]))

export const scenarios: readonly Scenario[] = [
  {
    title: 'a Garden begins, says what it lacks, and goes',
    key: { namespace: '', name: theGarden.name },
    crds: ['operator.gardener.cloud_gardens.yaml'],
    namespaces: [gardenNamespace, 'istio-system'],
    observes: [
      { ...gardenKind },
      { apiVersion: 'v1', kind: 'Secret', namespace: gardenNamespace },
      { ...definition, labelSelector: ours },
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'istio-system' },
    ],
    masked,
    volatileNames: /(?<=^secrets .*)-[0-9a-f]{8}$/,
    // What is deleted goes by itself.
    goesOnAfterSeconds: 5,
    dependent: theGarden,
    stages: [
      {
        title: 'a Garden in a cluster without an autoscaler',
        change: async people => {
          await people.create(istiod)
          await people.create(unscaled())
        },
        faults: waitsForAnAutoscaler,
      },
      { title: 'the Garden is deleted', change: people => people.delete(theGarden), faults: nothingIsLeft },
    ],
  },
]
