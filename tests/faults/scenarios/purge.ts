// A Kyma that is held as long as its modules are there. Purging itself takes place in another cluster, and is told in
// tests/stories/kyma/purge.test.ts.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { ObjectRef } from '../../../shared/core/objects/object.ts'
import { kyma } from '../../make/kyma/kyma.ts'
import type { Scenario, Stage } from '../scenario.ts'

const { finalizers, labels } = kymaNames
const namespace = 'kcp-system'
const theKyma: ObjectRef = { ...kymaKind, namespace, name: 'faulty-kyma' }

/** The Kyma has exactly these finalizers; without any it is gone. */
const heldBy =
  (...names: string[]): Stage['faults'] =>
  ([found]) => {
    const held = (found?.metadata.finalizers ?? []).toSorted().join(', ')
    const wanted = names.toSorted().join(', ')
    return held === wanted ? [] : [`held by ${held || 'nothing'}; wanted: ${wanted || 'nothing'}`]
  }

export const scenarios: readonly Scenario[] = [
  {
    title: 'a Kyma lives, is skipped for a while, and is deleted in good order',
    key: { namespace, name: theKyma.name },
    crds: ['kymas', 'manifests', 'moduletemplates'].map(plural => `operator.kyma-project.io_${plural}.yaml`),
    namespaces: [namespace],
    observes: [{ ...kymaKind, namespace }],
    dependent: theKyma,
    stages: [
      {
        title: 'a Kyma is created',
        change: people => people.create(kyma({ metadata: { name: theKyma.name, finalizers: [finalizers.kyma] } })),
        faults: heldBy(finalizers.kyma, finalizers.purge),
      },
      {
        title: 'it is to be skipped, and somebody takes the finalizer away',
        change: async people => {
          await people.change(theKyma, { metadata: { labels: { [labels.skipReconciliation]: 'true' } } })
          await people.release(theKyma, finalizers.purge)
        },
        faults: heldBy(finalizers.kyma),
      },
      {
        title: 'it is not to be skipped any more',
        change: people => people.change(theKyma, { metadata: { labels: { [labels.skipReconciliation]: null } } }),
        faults: heldBy(finalizers.kyma, finalizers.purge),
      },
      {
        title: 'it is deleted',
        change: people => people.delete(theKyma),
        faults: heldBy(finalizers.kyma, finalizers.purge),
      },
      {
        title: 'its modules are gone',
        change: people => people.release(theKyma, finalizers.kyma),
        faults: heldBy(),
      },
    ],
  },
]
