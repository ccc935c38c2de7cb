// etcd-druid, which creates etcds from Etcd objects.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { imageFields } from '../parts/images.ts'
import { ownershipLabel } from '../parts/names.ts'
import { allow, programAccount, programClusterAccess } from '../parts/rbac.ts'
import { clusterIpService, toRuntimeApiserver } from '../parts/services.ts'
import { nonroot, requests, workload } from '../parts/workload.ts'

const name = 'etcd-druid'
const labels = { 'gardener.cloud/role': name }

export const etcdDruid = (world: World): readonly KubeObject[] => {
  const objects = [programAccount(name), ...programClusterAccess(name, rules), service, ...deployment(world)]
  return managedResource(name, { where: 'runtime', objects })
}

const edit = 'get list watch create update patch delete'

const rules = [
  allow('', 'pods', 'get list watch delete deletecollection'),
  allow('', 'secrets endpoints', 'get list patch update watch'),
  allow('', 'events', 'create get list watch patch update'),
  allow('', 'serviceaccounts services configmaps', edit),
  allow('', 'persistentvolumeclaims', 'get list watch'),
  allow('rbac.authorization.k8s.io', 'roles rolebindings', edit),
  allow('apps', 'statefulsets', edit),
  allow('batch', 'jobs', edit),
  allow('policy', 'poddisruptionbudgets', edit),
  allow('coordination.k8s.io', 'leases', `${edit} deletecollection`),
  allow('druid.gardener.cloud', 'etcds etcdcopybackupstasks', edit),
  allow(
    'druid.gardener.cloud',
    'etcds/status etcds/finalizers etcdcopybackupstasks/status etcdcopybackupstasks/finalizers',
    'get update patch create',
  ),
]

const service = clusterIpService({
  name,
  labels: { ...labels, ...ownershipLabel },
  selector: labels,
  ports: [{ name: 'metrics', port: 8080, protocol: 'TCP', targetPort: 8080 }],
})

const deployment = (world: World): KubeObject[] =>
  workload({
    name,
    replicas: 1,
    type: 'controller',
    priority: 300,
    labels,
    minAllowed: { memory: '100M' },
    podLabels: toRuntimeApiserver,
    pod: {
      serviceAccountName: name,
      securityContext: nonroot,
      containers: [
        {
          ...imageFields(world, name),
          args: ['--enable-leader-election=true', '--enable-etcd-spec-auto-reconcile=false', '--etcd-workers=50'],
          ports: [{ containerPort: 8080, protocol: 'TCP' }],
          resources: requests('50m', '128Mi'),
          securityContext: { allowPrivilegeEscalation: false },
        },
      ],
    },
  })
