// runtime-certificate: maintains the certificate with which the agent in a Kyma's runtime authenticates itself.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import { kept } from '../../shared/core/tls/renewal.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { allKymas, gather } from './gather.ts'
import { certificateMetrics, report } from './report.ts'
import { type RuntimeCertificateSettings, runtimeCertificateSettings } from './settings.ts'
import type { World } from './world.ts'

export const runtimeCertificate: ReconcileFunction<World, RuntimeCertificateSettings> = {
  does: 'reconcile',
  name: 'runtime-certificate',
  kind: kymaKind,
  fieldManager: kymaNames.fieldManagers.controlPlane,
  settings: runtimeCertificateSettings,
  gather,
  decide,
  metrics: certificateMetrics,
  report,
  certificates: ({ current }) => kept('The certificate of the agent', current),
  keys: allKymas,
}
