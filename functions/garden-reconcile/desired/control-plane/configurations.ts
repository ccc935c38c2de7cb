// The configuration files of Gardener's admission controller, controller manager and scheduler.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import { clientFiles } from '../parts/workload.ts'

type Fields = Garden['spec']['virtualCluster']['gardener']
type Ports = { readonly healthProbes: number; readonly metrics: number }
type Program = { readonly logLevel?: string; readonly featureGates?: Readonly<Record<string, boolean>> }

/** `webhooks`: the port on which the admission controller serves webhooks. */
export const controlPlanePorts = {
  admissionController: { healthProbes: 2722, metrics: 2723, webhooks: 2719 },
  controllerManager: { healthProbes: 2718, metrics: 2719 },
  scheduler: { healthProbes: 10251, metrics: 19251 },
} as const

export const admissionCertificateFolder = '/etc/gardener-admission-controller/srv'

const clientConnection = { qps: 100, burst: 130, kubeconfig: clientFiles.kubeconfig }

const kindOf = (kind: string) => ({
  apiVersion: `${kind.replace('Configuration', '').toLowerCase()}.config.gardener.cloud/v1alpha1`,
  kind,
})

const logging = ({ logLevel = 'info' }: Program = {}) => ({ logLevel, logFormat: 'json' })
const gates = ({ featureGates }: Program = {}) => (featureGates ? { featureGates } : {})

const leaderElection = (program: string) => ({
  leaderElection: { leaderElect: true, resourceName: `${program}-leader-election`, resourceNamespace: 'kube-system' },
})

const serverOf = ({ healthProbes, metrics }: Ports) => ({
  healthProbes: { port: healthProbes },
  metrics: { port: metrics },
})

/** The field resourceAdmissionConfiguration is copied unchanged. */
export const admissionControllerConfiguration = ({ gardenerAdmissionController: fields }: Fields): JsonMap => {
  const { resourceAdmissionConfiguration } = fields ?? {}
  return {
    ...kindOf('AdmissionControllerConfiguration'),
    gardenClientConnection: clientConnection,
    ...logging(fields),
    server: {
      ...serverOf(controlPlanePorts.admissionController),
      webhooks: {
        port: controlPlanePorts.admissionController.webhooks,
        tls: { serverCertDir: admissionCertificateFolder },
      },
      ...(resourceAdmissionConfiguration && { resourceAdmissionConfiguration }),
    },
  }
}

const syncs = (concurrentSyncs: number) => ({ concurrentSyncs })
const afterMinute = (type: string) => ({ conditionThresholds: [{ type, duration: '1m' }] })

export const controllerManagerConfiguration = ({ gardenerControllerManager: fields }: Fields): JsonMap => ({
  ...kindOf('ControllerManagerConfiguration'),
  gardenClientConnection: clientConnection,
  ...logging(fields),
  ...gates(fields),
  ...leaderElection('gardener-controller-manager'),
  server: serverOf(controlPlanePorts.controllerManager),
  controllers: {
    controllerRegistration: syncs(20),
    project: { ...syncs(20), ...(fields?.defaultProjectQuotas && { quotas: fields.defaultProjectQuotas }) },
    secretBinding: syncs(20),
    credentialsBinding: syncs(20),
    seed: { ...syncs(20), shootMonitorPeriod: '5m' },
    seedExtensionsCheck: afterMinute('ExtensionsReady'),
    seedBackupBucketsCheck: afterMinute('BackupBucketsReady'),
    event: { ...syncs(10), ttlNonShootEvents: '2h' },
    shootMaintenance: syncs(20),
    shootReference: syncs(20),
  },
})

export const schedulerConfiguration = ({ gardenerScheduler: fields }: Fields): JsonMap => ({
  ...kindOf('SchedulerConfiguration'),
  clientConnection,
  ...logging(fields),
  ...gates(fields),
  ...leaderElection('gardener-scheduler'),
  server: serverOf(controlPlanePorts.scheduler),
  schedulers: { shoot: { strategy: fields?.strategy ?? 'SameRegion' } },
})
