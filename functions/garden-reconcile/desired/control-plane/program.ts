// A program of Gardener's control plane: the objects in the runtime cluster, and the rights in the virtual garden.
//
//   gardenerProgram(world, { name: 'gardener-scheduler', role: 'scheduler', ports, configuration, rules: [...], ... })

import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import type { World } from '../../world.ts'
import { configMap, managedResource } from '../parts/config-object.ts'
import { openTo, toVirtualGarden } from '../parts/network-access.ts'
import { gardenClusterRole, gardenClusterRoleBinding, type RoleRule, serviceAccountSubject } from '../parts/rbac.ts'
import { virtualGardenClient } from '../parts/virtual-garden-client.ts'
import { clusterIpService, imageFields, nonroot, type requests, type Workload, workload } from '../parts/workload.ts'

type Named = JsonMap & { readonly name: string }

export type GardenerProgram = {
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

export const gardenerProgram = (world: World, program: GardenerProgram): KubeObject[] => {
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
    livenessProbe: probe('/healthz', ports.healthProbes, program.startSeconds),
    readinessProbe: probe('/readyz', ports.healthProbes, 10),
    securityContext: { allowPrivilegeEscalation: false },
    volumeMounts: [{ name: 'config', mountPath: folder, readOnly: true }, accessMount, ...(program.mounts ?? [])],
  }
}

const probe = (path: string, port: number, initialDelaySeconds: number) => ({
  httpGet: { path, port, scheme: 'HTTP' },
  initialDelaySeconds,
  timeoutSeconds: 5,
})

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
