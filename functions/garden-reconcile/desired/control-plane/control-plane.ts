// Gardener's admission controller, controller manager and scheduler: their objects in the runtime cluster, and their rights in the virtual
// garden. The programs are rows of the same form at the end.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { caBundleNow, secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { World } from '../../world.ts'
import { configMap, managedResource } from '../parts/config-object.ts'
import { imageFields } from '../parts/images.ts'
import {
  allow,
  everything,
  gardenClusterRole,
  gardenClusterRoleBinding,
  leadership,
  type RoleRule,
  serviceAccountSubject,
  verbs,
} from '../parts/rbac.ts'
import { clusterIpService, openTo, toVirtualGarden, trafficDistribution } from '../parts/services.ts'
import { httpProbe, nonroot, requests, virtualGardenClient, type Workload, workload } from '../parts/workload.ts'
import { admissionWebhooks } from './admission-webhooks.ts'
import {
  admissionCertificateFolder,
  admissionControllerConfiguration,
  controllerManagerConfiguration,
  controlPlanePorts,
  schedulerConfiguration,
} from './configurations.ts'

type Named = JsonMap & { readonly name: string }

type GardenerProgram = {
  /** The name of the Deployment, its container, image, Service and ServiceAccount. */
  readonly name: string
  /** The label `role` of the Pods. */
  readonly role: string
  readonly configuration: JsonMap
  readonly ports: { readonly healthProbes: number; readonly metrics: number }
  readonly resources: ReturnType<typeof requests>
  readonly type: NonNullable<Workload['type']>
  readonly priority: Workload['priority']
  /** Seconds before the first liveness probe. */
  readonly startSeconds: number
  /** `binding`: the name of the binding, if it differs from the name of the role. */
  readonly rights: { readonly binding?: string; readonly role: string; readonly rules: readonly RoleRule[] }
  readonly volumes?: readonly Named[]
  readonly mounts?: readonly Named[]
  /** Fields of the Service in addition to the port for metrics. */
  readonly service?: Partial<ServiceFields>
  readonly inVirtualGarden?: readonly KubeObject[]
}

export const programLabels = (role: string) => ({ app: 'gardener', role })

const gardenerProgram = (world: World, program: GardenerProgram): KubeObject[] => {
  const { name, rights, service = {} } = program
  const { metrics } = program.ports
  const config = configMap(`${name}-config`, { 'config.yaml': yamlOf(program.configuration) })
  const access = virtualGardenClient(world, name)
  return [
    config,
    access.secret,
    ...managedResource(`${name}-runtime`, {
      where: 'runtime',
      condition: 'VirtualComponentsHealthy',
      objects: [
        ...workload(programWorkload(world, program, config)),
        programService(program, {
          ports: [...(service.ports ?? []), { name: 'metrics', port: metrics, targetPort: metrics }],
          annotations: { ...service.annotations, ...openTo.scrapers([metrics]) },
          spec: service.spec,
        }),
      ],
    }),
    ...managedResource(`${name}-virtual`, {
      where: 'virtual',
      objects: [
        gardenClusterRole(rights.role, rights.rules),
        gardenClusterRoleBinding(
          rights.binding ?? rights.role,
          [serviceAccountSubject(name, 'kube-system')],
          rights.role,
        ),
        ...(program.inVirtualGarden ?? []),
      ],
    }),
  ]
}

const programWorkload = (world: World, program: GardenerProgram, config: KubeObject): Workload => {
  const { name, role, type, priority } = program
  const access = virtualGardenClient(world, name)
  return {
    name,
    type,
    priority,
    replicas: 1,
    labels: programLabels(role),
    podLabels: toVirtualGarden,
    mounted: [config],
    minAllowed: { memory: '25Mi' },
    pod: {
      automountServiceAccountToken: false,
      securityContext: nonroot,
      containers: [programContainer(world, program, access.mount)],
      volumes: [
        { name: 'config', configMap: { name: config.metadata.name } },
        access.volume,
        ...(program.volumes ?? []),
      ],
    },
  }
}

const programContainer = (world: World, program: GardenerProgram, accessMount: Named) => {
  const { name, ports, resources } = program
  const folder = `/etc/${name}/config`
  return {
    ...imageFields(world, name),
    args: [`--config=${folder}/config.yaml`],
    resources,
    livenessProbe: httpProbe('/healthz', ports.healthProbes, {
      initialDelaySeconds: program.startSeconds,
      timeoutSeconds: 5,
    }),
    readinessProbe: httpProbe('/readyz', ports.healthProbes, { initialDelaySeconds: 10, timeoutSeconds: 5 }),
    securityContext: { allowPrivilegeEscalation: false },
    volumeMounts: [{ name: 'config', mountPath: folder, readOnly: true }, accessMount, ...(program.mounts ?? [])],
  }
}

type ServiceFields = {
  readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: number }[]
  /** Annotations from which network policies are made: who may call the Service. */
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: JsonMap | undefined
}

export const programService = (
  { name, role }: Pick<GardenerProgram, 'name' | 'role'>,
  { ports, annotations, spec }: ServiceFields,
): KubeObject =>
  clusterIpService({
    name,
    labels: programLabels(role),
    annotations,
    spec,
    ports: ports.map(port => ({ ...port, protocol: 'TCP' })),
  })

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
