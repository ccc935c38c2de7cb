// A Kyma and mandatory modules that come in several versions; people edit and delete Manifests.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { kyma } from '../../make/kyma/kyma.ts'
import { mandatoryMeta, mandatoryTemplate } from '../../make/kyma/mandatory-modules.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'kcp-system'
const theKyma: ObjectRef = { ...kymaKind, namespace, name: 'faulty' }
const [warden, keda] = ['faulty-warden-641595061', 'faulty-keda-1095022605']
const manifestRef = (name: string): ObjectRef => ({ ...manifestKind, namespace, name })
const { labels } = kymaNames

/** `name version` of the Manifests, all labelled as mandatory. */
const installed =
  (...wanted: readonly string[]): Stage['faults'] =>
  (objects: readonly KubeObject[]) => {
    const manifests = objects.filter(({ kind }) => kind === 'Manifest') as Manifest[]
    const found = manifests.map(
      ({ metadata, spec }) =>
        `${metadata.name} ${spec.version} ${metadata.labels?.[labels.mandatoryModule]} ${spec.customResourcePolicy}`,
    )
    const should = wanted.map(one => `${one} true CreateAndDelete`)
    return found.sort().join() === should.sort().join() ? [] : [`${found.join()}; wanted: ${should.join()}`]
  }

export const scenarios: readonly Scenario[] = [
  {
    title: 'versions come, Manifests are edited and deleted',
    key: { namespace, name: theKyma.name },
    crds: ['kymas', 'manifests', 'moduletemplates', 'modulereleasemetas'].map(
      plural => `operator.kyma-project.io_${plural}.yaml`,
    ),
    namespaces: [namespace],
    observes: [kymaKind, manifestKind, moduleTemplateKind, moduleReleaseMetaKind].map(kind => ({ ...kind, namespace })),
    dependent: manifestRef(warden),
    stages: [
      {
        title: 'a Kyma, and two modules',
        change: async people => {
          await people.create(mandatoryTemplate('warden', '1.9.0'))
          await people.create(mandatoryTemplate('keda', '1.0.0'))
          await people.create(kyma({ metadata: { name: theKyma.name } }))
        },
        faults: installed(`${warden} 1.9.0`, `${keda} 1.0.0`),
      },
      {
        title: 'a higher version of one; the Manifest of the other is edited',
        change: async people => {
          await people.create(mandatoryTemplate('warden', '1.10.0'))
          await people.change(manifestRef(keda), {
            metadata: { labels: { [labels.mandatoryModule]: 'no' } },
            spec: { customResourcePolicy: 'Ignore' },
          })
        },
        faults: installed(`${warden} 1.10.0`, `${keda} 1.0.0`),
      },
      {
        title: 'a ModuleReleaseMeta leads back to the lower version; the Manifest of the other is deleted',
        change: async people => {
          await people.create(mandatoryMeta('warden', '1.9.0'))
          await people.delete(manifestRef(keda))
        },
        faults: installed(`${warden} 1.9.0`, `${keda} 1.0.0`),
      },
    ],
  },
]
