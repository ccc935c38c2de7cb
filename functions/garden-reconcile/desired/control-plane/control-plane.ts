// Gardener's admission controller, controller manager and scheduler, each as a GardenerProgram.

import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { caBundleNow, secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { openTo } from '../parts/network-access.ts'
import { allow, everything, leadership, verbs } from '../parts/rbac.ts'
import { requests, trafficDistribution } from '../parts/workload.ts'
import { admissionWebhooks } from './admission-webhooks.ts'
import {
  admissionCertificateFolder,
  admissionControllerConfiguration,
  controllerManagerConfiguration,
  controlPlanePorts,
  schedulerConfiguration,
} from './configurations.ts'
import { type GardenerProgram, gardenerProgram } from './program.ts'

const core = 'core.gardener.cloud'

const admissionRules = [
  allow(core, 'backupbuckets backupentries controllerinstallations secretbindings seeds shoots projects', verbs.read),
  allow('seedmanagement.gardener.cloud', 'gardenlets managedseeds', verbs.read),
  allow('operations.gardener.cloud', 'bastions', verbs.read),
  allow('', 'configmaps namespaces secrets serviceaccounts', verbs.read),
  allow('coordination.k8s.io', 'leases', verbs.read),
  allow('certificates.k8s.io', 'certificatesigningrequests', verbs.read),
  allow('security.gardener.cloud', 'credentialsbindings', verbs.read),
  allow('authorization.k8s.io', 'subjectaccessreviews', 'create'),
]

const schedulerRules = [
  allow('', 'events', 'create patch update'),
  allow('', 'configmaps', `create delete ${verbs.read} patch update`),
  allow(core, 'cloudprofiles namespacedcloudprofiles seeds', verbs.read),
  allow(core, 'shoots shoots/status', `${verbs.read} patch update`),
  allow(core, 'shoots/binding', 'update'),
  ...leadership('gardener-scheduler-leader-election'),
]

const admissionController = (world: World): GardenerProgram => {
  const { gardener } = world.garden.spec.virtualCluster
  const { webhooks: port, ...ports } = controlPlanePorts.admissionController
  const name = 'certificate'
  return {
    name: 'gardener-admission-controller',
    role: 'admission-controller',
    ports,
    configuration: admissionControllerConfiguration(gardener),
    resources: requests('100m', '200Mi'),
    type: 'server',
    priority: 400,
    startSeconds: 15,
    rights: {
      role: 'gardener.cloud:system:admission-controller',
      binding: 'gardener.cloud:admission-controller',
      rules: admissionRules,
    },
    volumes: [
      {
        name,
        secret: { secretName: secretNow(world, 'gardener-admission-controller').metadata.name, defaultMode: 0o640 },
      },
    ],
    mounts: [{ name, mountPath: admissionCertificateFolder, readOnly: true }],
    service: {
      ports: [{ name: 'https', port: 443, targetPort: port }],
      annotations: openTo.webhookCallers([port]),
      spec: trafficDistribution(world),
    },
    inVirtualGarden: admissionWebhooks(
      caBundleNow(world, 'ca-gardener'),
      gardener.gardenerAdmissionController?.resourceAdmissionConfiguration,
    ),
  }
}

const controllerManager = ({ garden }: World): GardenerProgram => ({
  name: 'gardener-controller-manager',
  role: 'controller-manager',
  ports: controlPlanePorts.controllerManager,
  configuration: controllerManagerConfiguration(garden.spec.virtualCluster.gardener),
  resources: requests('1', '1Gi'),
  type: 'controller',
  priority: 200,
  startSeconds: 30,
  rights: { role: 'gardener.cloud:system:controller-manager', rules: [everything] },
})

const scheduler = ({ garden }: World): GardenerProgram => ({
  name: 'gardener-scheduler',
  role: 'scheduler',
  ports: controlPlanePorts.scheduler,
  configuration: schedulerConfiguration(garden.spec.virtualCluster.gardener),
  resources: requests('50m', '50Mi'),
  type: 'controller',
  priority: 200,
  startSeconds: 15,
  rights: { role: 'gardener.cloud:system:scheduler', rules: schedulerRules },
})

export const gardenerControlPlane = (world: World): KubeObject[] =>
  [admissionController, controllerManager, scheduler].flatMap(program => gardenerProgram(world, program(world)))
