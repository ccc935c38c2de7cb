// Labelled ModuleTemplates and a mandatory ModuleReleaseMeta that are deleted while their Manifests are held by somebody else.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import { isDeleting, type KubeObject, type ObjectRef } from '../../../shared/core/objects/object.ts'
import { moduleManifest } from '../../make/kyma/kyma.ts'
import { mandatoryMeta, mandatoryTemplate } from '../../make/kyma/mandatory-modules.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'kcp-system'
const { labels, annotations, finalizers } = kymaNames
const ref = (kind: { apiVersion: string; kind: string }, name: string): ObjectRef => ({ ...kind, namespace, name })
const [old, used] = ['warden-1.9.0', 'warden-1.10.0'].map(name => ref(moduleTemplateKind, name)) as [
  ObjectRef,
  ObjectRef,
]
const theMeta = ref(moduleReleaseMetaKind, 'warden')

const manifest = (kyma: string, version: string): KubeObject =>
  moduleManifest({
    metadata: {
      name: `${kyma}-warden`,
      finalizers: [finalizers.manifest],
      labels: { [labels.moduleName]: 'warden', [labels.mandatoryModule]: 'true' },
      annotations: { [annotations.fqdn]: 'kyma-project.io/module/warden' },
    },
    spec: { version },
  })

/** The names of what is there; with `!` in front of what is held by our finalizer, and `-` behind what is in deletion. */
const there =
  (...wanted: readonly string[]): Stage['faults'] =>
  objects => {
    const found = objects.map(object => {
      const { name, finalizers: held = [] } = object.metadata
      return `${held.includes(finalizers.mandatoryModule) ? '!' : ''}${name}${isDeleting(object) ? '-' : ''}`
    })
    return found.sort().join() === [...wanted].sort().join() ? [] : [`${found.join()}; wanted: ${wanted.join()}`]
  }

const marked: Stage['faults'] = objects => {
  const template = objects.find(({ metadata }) => metadata.name === used.name)
  return template?.metadata.annotations?.[annotations.releasedBy] === 'warden' ? [] : [`${used.name} is not marked`]
}

export const scenarios: readonly Scenario[] = [
  {
    title: 'a version is deleted, then the module',
    key: { namespace: '', name: namespace },
    crds: ['kymas', 'manifests', 'moduletemplates', 'modulereleasemetas'].map(
      plural => `operator.kyma-project.io_${plural}.yaml`,
    ),
    namespaces: [namespace],
    observes: [
      { ...kymaKind },
      ...[manifestKind, moduleTemplateKind, moduleReleaseMetaKind].map(kind => ({ ...kind, namespace })),
    ],
    dependent: old,
    rivalry: { ref: used, leaves: ['labels', 'annotations', 'status'] },
    stages: [
      {
        title: 'two versions, of which a ModuleReleaseMeta uses one; two Kymas have them',
        change: async people => {
          await people.create(mandatoryTemplate('warden', '1.10.0'))
          await people.create(mandatoryTemplate('warden', '1.9.0'))
          await people.create(mandatoryMeta('warden', '1.10.0'))
          await people.create(manifest('one', '1.9.0'))
          await people.create(manifest('two', '1.10.0'))
        },
        faults: objects => [
          ...there('!warden-1.10.0', '!warden-1.9.0', '!warden', 'one-warden', 'two-warden')(objects),
          ...marked(objects),
        ],
      },
      {
        title: 'the other version is deleted, and its Manifest takes its time',
        change: people => people.delete(old),
        faults: there('!warden-1.10.0', '!warden-1.9.0-', '!warden', 'one-warden-', 'two-warden'),
      },
      {
        title: 'it is gone',
        change: people => people.release(ref(manifestKind, 'one-warden'), finalizers.manifest),
        faults: there('!warden-1.10.0', '!warden', 'two-warden'),
      },
      {
        title: 'the ModuleReleaseMeta is deleted',
        change: people => people.delete(theMeta),
        faults: there('!warden-1.10.0', '!warden-', 'two-warden-'),
      },
      {
        title: 'its Manifest is gone',
        change: people => people.release(ref(manifestKind, 'two-warden'), finalizers.manifest),
        faults: objects => [...there('!warden-1.10.0')(objects), ...marked(objects)],
      },
    ],
  },
]
