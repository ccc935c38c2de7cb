// Users of a live virtual garden: their credentials, and whether these still work.
import { parse } from 'yaml'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { apiClient } from '../clients/api.ts'
import { base64, type Credentials } from '../clients/kubeconfig.ts'
import type { SteadyAccess } from '../clients/steady-client.ts'
import { virtualAdmin } from './live-access.ts'
import type { LiveGarden } from './live-garden.ts'

const person = { fieldManager: 'person' }
const account = { namespace: 'default', name: 'person' }

type Kubeconfig = {
  readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }]
  readonly users: readonly [{ user: { token: string } }]
}

/** The content of the kubeconfig in Secret garden/gardener. */
export const gardenerKubeconfig = async ({ runtime }: LiveGarden) => {
  const secret = await runtime.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name: 'gardener' })
  const { clusters, users } = parse(secretText(secret, 'kubeconfig')) as Kubeconfig
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  return { server, ca: atob(authority), token: users[0].user.token }
}

/** A user who trusts the present authorities and shows a new certificate. */
export const certifiedUser = async (live: LiveGarden): Promise<SteadyAccess> => {
  const [{ ca }, credentials] = await Promise.all([gardenerKubeconfig(live), virtualAdmin(live.runtime)])
  return { port: live.served.port, ca, credentials }
}

/** Makes a ServiceAccount with all rights. */
export const makeAccount = async ({ virtual }: LiveGarden): Promise<void> => {
  await virtual.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }, person)
  const binding: KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'person' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  }
  await virtual.create(binding, person)
}

/** A token of that account, signed now. */
export const tokenOfAccount = async ({ virtual }: LiveGarden): Promise<Credentials> => {
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const { status } = (await virtual.raw({ method: 'POST', path, body })) as { status: { token: string } }
  return { token: status.token }
}

/** The HTTP code that a user gets who reads, or why there is none. */
export const codeFor = async ({ port, ca, credentials }: SteadyAccess): Promise<number | string> => {
  const api = apiClient({ url: `https://127.0.0.1:${port}`, caData: base64(ca) }, credentials)
  const answer = await api.call('GET', '/api/v1/namespaces/default/secrets/steady').then(({ status }) => status, String)
  await api.close()
  return answer
}
