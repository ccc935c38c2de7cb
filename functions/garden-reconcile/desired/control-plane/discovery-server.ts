// gardener-discovery-server publishes the public keys of shoots and of workload identities, so that other systems can verify tokens. The
// nginx of the runtime cluster passes the TLS connections through to gardener-discovery-server.
import { createHash, createPublicKey } from 'node:crypto'
import { discoveryHost, workloadIdentityIssuer } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedTexts, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { bundleNow, secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-configs.ts'
import type { World } from '../../world.ts'
import { wildcardSecretName } from '../apiserver/kube-apiserver.ts'
import { certificateFaults } from '../apiserver-parts/api-server.ts'
import { configSecret, managedResource } from '../parts/config-object.ts'
import { imageFields } from '../parts/images.ts'
import { namespace, issuerNamespace as place, role } from '../parts/names.ts'
import {
  allow,
  gardenClusterRole,
  gardenClusterRoleBinding,
  namespacedRole,
  roleBinding,
  serviceAccountSubject,
  verbs,
} from '../parts/rbac.ts'
import { openTo, toVirtualGarden } from '../parts/services.ts'
import { clientFiles, httpProbe, nonroot, requests, virtualGardenClient, workload } from '../parts/workload.ts'
import { programLabels, programService } from './control-plane.ts'

const name = 'gardener-discovery-server'
const component = 'discovery-server'
const rights = `gardener.cloud:system:${component}`
const issuer = 'shoot-service-account-issuer'
const ports = { server: 10443, metrics: 8080, healthz: 8081 }
const folders = {
  tls: '/var/run/secrets/gardener.cloud/gardener-discovery-server/tls',
  documents: '/etc/gardener-discovery-server/garden/workload-identity',
}
const files = { configuration: 'openid-configuration.json', keys: 'jwks.json' }

const fieldsOf = ({ garden }: World) => garden.spec.virtualCluster.gardener.gardenerDiscoveryServer

export const lacksDiscoveryServer = (world: World): boolean => fieldsOf(world) === undefined

/** A certificate that a user provides. undefined: our certificate is used, whose CA the clients do not know. */
const givenCertificate = (world: World): string | undefined =>
  fieldsOf(world)?.tlsSecretName || wildcardSecretName(world)

export const discoveryServerSecrets = (world: World): SecretConfigName[] => [
  ...(['gardener-apiserver-workload-identity-signing-key', 'generic-token-kubeconfig'] as const),
  ...(givenCertificate(world) === undefined ? (['ca-gardener', 'gardener-discovery-server-tls'] as const) : []),
]

export const discoveryServerFaults = (world: World): string[] => {
  const given = givenCertificate(world)
  return given === undefined ? [] : certificateFaults(world, given)
}

export const discoveryServer = (world: World): KubeObject[] => {
  if (lacksDiscoveryServer(world)) return []
  const documents = discoveryDocuments(world)
  const access = virtualGardenClient(world, name)
  const certificate = givenCertificate(world) ?? secretNow(world, 'gardener-discovery-server-tls').metadata.name
  const secretVolume = (volume: string, secretName: string) => ({
    name: volume,
    secret: { secretName, defaultMode: 0o400 },
  })
  const pod = {
    automountServiceAccountToken: false,
    securityContext: nonroot,
    containers: [container(world, access.mount)],
    volumes: [
      secretVolume(`${name}-tls`, certificate),
      secretVolume('garden-workload-identity', documents.metadata.name),
      access.volume,
    ],
  }
  const runtime = [
    documents,
    ...workload({
      name,
      type: 'server',
      priority: 200,
      replicas: 1,
      labels: programLabels(component),
      podLabels: toVirtualGarden,
      mounted: [documents],
      minAllowed: { cpu: '10m', memory: '64Mi' },
      pod,
    }),
    service,
    ingress(discoveryHost(world.garden)),
  ]
  const condition = 'VirtualComponentsHealthy'
  return [
    access.secret,
    ...managedResource(`${name}-runtime`, { where: 'runtime', condition, objects: runtime }),
    ...managedResource(`${name}-virtual`, { where: 'virtual', objects: inVirtualGarden(world) }),
  ]
}

/** The documents of OpenID Connect Discovery 1.0 and RFC 7517: the keys that verify tokens, including the former key during a rotation. */
const discoveryDocuments = (world: World): KubeObject => {
  const url = workloadIdentityIssuer(world.garden)
  const bundle = secretText(bundleNow(world, 'gardener-apiserver-workload-identity-signing-key'), 'bundle.key')
  const configuration = {
    issuer: url,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
  return configSecret(`${name}-garden-workload-identity`, {
    [files.configuration]: JSON.stringify(configuration),
    [files.keys]: JSON.stringify({ keys: (bundle.match(publicKeys) ?? []).map(webKey) }),
  })
}

const publicKeys = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/** gardener-apiserver names a key in its tokens by the key's digest. */
const webKey = (pem: string) => {
  const key = createPublicKey(pem)
  const kid = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
  return { use: 'sig', alg: 'RS256', kid, ...key.export({ format: 'jwk' }) }
}

const container = (world: World, accessMount: object) => ({
  ...imageFields(world, name),
  args: [
    `--tls-cert-file=${folders.tls}/tls.crt`,
    `--tls-private-key-file=${folders.tls}/tls.key`,
    `--kubeconfig=${clientFiles.kubeconfig}`,
    `--workload-identity-openid-configuration-file=${folders.documents}/${files.configuration}`,
    `--workload-identity-jwks-file=${folders.documents}/${files.keys}`,
  ],
  resources: requests('50m', '128Mi'),
  ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })),
  livenessProbe: probe('/healthz', 15, 20),
  readinessProbe: probe('/readyz', 5, 10),
  securityContext: { allowPrivilegeEscalation: false },
  volumeMounts: [
    { name: `${name}-tls`, mountPath: folders.tls, readOnly: true },
    { name: 'garden-workload-identity', mountPath: folders.documents, readOnly: true },
    accessMount,
  ],
})

const probe = (path: string, initialDelaySeconds: number, periodSeconds: number) => {
  const limits = { timeoutSeconds: 5, successThreshold: 1, failureThreshold: 3 }
  return httpProbe(path, ports.healthz, { initialDelaySeconds, periodSeconds, ...limits })
}

const service = programService(
  { name, role: component },
  {
    ports: Object.entries(ports).map(([name, port]) => ({ name, port, targetPort: port })),
    annotations: openTo.scrapers([ports.metrics]),
    spec: { sessionAffinity: 'ClientIP' },
  },
)

const ingress = (host: string): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name,
    namespace,
    labels: programLabels(component),
    annotations: { 'nginx.ingress.kubernetes.io/ssl-passthrough': 'true' },
  },
  spec: {
    ingressClassName: 'nginx-ingress-gardener',
    rules: [
      {
        host,
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { number: ports.server } } } }],
        },
      },
    ],
  },
})

/** gardenlets write the keys of their shoots into this namespace, and read the host from the Secret. */
const inVirtualGarden = ({ garden }: World): KubeObject[] => {
  const account = [serviceAccountSubject(name, 'kube-system')]
  const ofShoots = { namespace: place, name: rights }
  return [
    gardenClusterRole(rights, [
      allow('core.gardener.cloud', 'projects shoots', verbs.read),
      allow('', 'configmaps namespaces', verbs.read),
    ]),
    gardenClusterRoleBinding(rights, account),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } },
    namespacedRole(ofShoots, [allow('', 'secrets', verbs.read)]),
    roleBinding(ofShoots, account),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: issuer, namespace, labels: role(issuer) },
      type: 'Opaque',
      data: encodedTexts({ hostname: discoveryHost(garden) }),
    },
  ]
}
