// Kymas, modules' releases, Manifests and Watchers, valid unless a test says otherwise.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import {
  type KymaFields,
  kymaKind,
  type ManifestFields,
  type ModuleReleaseMetaFields,
  type ModuleTemplateFields,
  manifestKind,
  moduleReleaseMetaKind,
  moduleTemplateKind,
  type WatcherFields,
  watcherKind,
} from '../../../shared/api/kyma.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Change } from '../garden/garden.ts'

type Made<Fields> = KubeObject & Fields
type ChangeOf<Fields> = Change<Partial<Made<Fields>>>

const { labels, managedBy } = kymaNames
const ofOurs = { namespace: 'kcp-system', labels: { [labels.managedBy]: managedBy.controlPlane } }

const maker =
  <Fields extends object>(kind: GroupVersionKind, name: string, fields: Fields) =>
  (change?: ChangeOf<Fields>): Made<Fields> =>
    mergePatched({ ...kind, metadata: { name, ...ofOurs }, ...fields }, change ?? {}) as Made<Fields>

/** A Kyma without modules. */
export const kyma = maker<KymaFields>(kymaKind, 'default-id', { spec: { channel: 'regular' } })

/** Version 1.2.3 of the module telemetry. */
export const moduleTemplate = maker<ModuleTemplateFields>(moduleTemplateKind, 'telemetry-1.2.3', {
  spec: {
    moduleName: 'telemetry',
    version: '1.2.3',
    descriptor: { component: { name: 'kyma-project.io/module/telemetry', version: '1.2.3' } },
  },
})

/** The module telemetry has version 1.2.3 in the channel regular. */
export const moduleReleaseMeta = maker<ModuleReleaseMetaFields>(moduleReleaseMetaKind, 'telemetry', {
  spec: { moduleName: 'telemetry', channels: [{ channel: 'regular', version: '1.2.3' }] },
})

/** A Manifest of one layer. */
export const moduleManifest = maker<ManifestFields>(manifestKind, 'default-id-telemetry-1', {
  spec: {
    remote: true,
    install: {
      name: 'raw-manifest',
      source: { repo: 'registry.example', name: 'x', ref: 'sha256:0', type: 'oci-ref' },
    },
  },
})

/** Tells changes of the spec of Kymas. */
export const watcher = maker<WatcherFields>(watcherKind, 'kyma-watcher', {
  spec: {
    field: 'spec',
    gateway: { selector: { matchLabels: { app: 'gateway' } } },
    resourceToWatch: { group: 'operator.kyma-project.io', version: '*', resource: 'kymas' },
    serviceInfo: { name: 'events', namespace: 'kcp-system', port: 8082 },
  },
})

/** The Secret of this name, by which the kubeconfig is that of the Kyma's runtime. */
export const accessSecret = (kyma: string, kubeconfig: string, name = kyma): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: ofOurs.namespace, labels: { ...ofOurs.labels, [labels.kymaName]: kyma } },
  data: { config: Buffer.from(kubeconfig).toString('base64') },
})
