// Plutono shows the logs in vali, behind an Ingress with a password.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { yamlOf } from '../../../shared/core/yaml/write.ts'
import { secretNow } from '../rules/secrets/existing-secrets.ts'
import type { World } from '../world.ts'
import { valiService } from './logging/vali.ts'
import { configMap, configSecret, managedResource } from './parts/config-object.ts'
import { imageFields } from './parts/images.ts'
import { namespace } from './parts/names.ts'
import { clusterIpService, toNetworks, toService } from './parts/services.ts'
import { requests, workload } from './parts/workload.ts'

const name = 'plutono'
const labels = { component: name }
const port = 3000
const folders = {
  config: '/usr/local/etc/plutono',
  sources: '/etc/plutono/provisioning/datasources',
  data: '/var/lib/plutono',
}

const sources = yamlOf({
  apiVersion: 1,
  datasources: [
    {
      name: 'vali',
      type: 'vali',
      access: 'proxy',
      url: `http://${valiService.name}.${namespace}.svc:${valiService.port}`,
      jsonData: { maxLines: 5000 },
    },
  ],
})

const environment = {
  PL_AUTH_ANONYMOUS_ENABLED: 'true',
  PL_USERS_VIEWERS_CAN_EDIT: 'true',
  PL_DATE_FORMATS_DEFAULT_TIMEZONE: 'UTC',
  PL_AUTH_DISABLE_LOGIN_FORM: 'true',
  PL_AUTH_DISABLE_SIGNOUT_MENU: 'true',
  PL_ALERTING_ENABLED: 'false',
  PL_SNAPSHOTS_EXTERNAL_ENABLED: 'false',
  PL_PATHS_CONFIG: `${folders.config}/plutono.ini`,
}

/** ManagedResource plutono. A new password in Secret observability-ingress restarts the Pods of Plutono. */
export const plutono = (world: World): KubeObject[] => {
  const credentials = secretNow(world, 'observability-ingress')
  const config = configSecret('plutono-config', { 'plutono.ini': settingsFile(credentials) })
  const datasources = configMap('plutono-datasources', { 'datasources.yaml': sources })
  return managedResource(name, {
    where: 'runtime',
    condition: 'ObservabilityComponentsHealthy',
    objects: [
      config,
      datasources,
      ...workload({
        name,
        labels,
        replicas: 1,
        priority: 100,
        podLabels: { ...toNetworks('dns'), ...toService(valiService.name, valiService.port) },
        mounted: [config, datasources],
        pod: {
          automountServiceAccountToken: false,
          containers: [container(world)],
          volumes: [
            { name: 'config', secret: { secretName: config.metadata.name } },
            { name: 'datasources', configMap: { name: datasources.metadata.name } },
            { name: 'storage', emptyDir: { sizeLimit: '100Mi' } },
          ],
        },
      }),
      service,
      ingress(world, credentials.metadata.name),
    ],
  })
}

const settingsFile = (credentials: KubeObject): string =>
  [
    ...['[auth.basic]', 'enabled = true', '[security]', `admin_user = ${secretText(credentials, 'username')}`],
    `admin_password = ${secretText(credentials, 'password')}`,
    '',
  ].join('\n')

const container = (world: World) => ({
  ...imageFields(world, name),
  resources: requests('5m', '45Mi'),
  env: Object.entries(environment).map(([key, value]) => ({ name: key, value })),
  ports: [{ name: 'web', containerPort: port, protocol: 'TCP' }],
  securityContext: { allowPrivilegeEscalation: false },
  volumeMounts: [
    { name: 'config', mountPath: folders.config },
    { name: 'datasources', mountPath: folders.sources },
    { name: 'storage', mountPath: folders.data },
  ],
})

const service = clusterIpService({ name, labels, ports: [{ name: 'web', port, targetPort: port, protocol: 'TCP' }] })

const ingress = ({ garden }: World, secret: string): KubeObject => {
  const [domain] = garden.spec.runtimeCluster.ingress.domains ?? []
  const host = `plutono-garden.${domain?.name}`
  const backend = { service: { name, port: { number: port } } }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace,
      labels,
      annotations: {
        'nginx.ingress.kubernetes.io/auth-realm': 'Authentication Required',
        'nginx.ingress.kubernetes.io/auth-secret': secret,
        'nginx.ingress.kubernetes.io/auth-type': 'basic',
      },
    },
    spec: {
      ingressClassName: 'nginx-ingress-gardener',
      tls: [{ hosts: [host] }],
      rules: [{ host, http: { paths: [{ path: '/', pathType: 'ImplementationSpecific', backend }] } }],
    },
  }
}
