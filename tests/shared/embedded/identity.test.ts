// An embedded cluster with an identity that others made, as the virtual garden has it: who is let in, and what a rotation changes.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { authority } from '../../../shared/embedded/identity/authority.ts'
import type { GivenIdentity } from '../../../shared/embedded/identity/user.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Credentials } from '../../../shared/kube/clusters/access.ts'
import { matches, rejects } from '../../harness/matches.ts'

const accountKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    signing: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    verifying: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

const name = 'api.example.com'
const [serverCa, clientCa, otherCa] = [authority(), authority(), authority()]
const [first, second] = [accountKey(), accountKey()]
const identity = (change: Partial<GivenIdentity> = {}): GivenIdentity => ({
  serving: serverCa.serving([name]),
  clientAuthorities: clientCa.caCert,
  accountKeys: first,
  staticTokens: 'first-token,health-check,health-check,\n',
  ...change,
})

const cluster = await startEmbeddedCluster({ identity: identity() })
t.teardown(cluster.stop)

/** The user that the cluster sees, by a connection of its own. */
const userOf = async (credentials: Credentials, ca = serverCa.caCert): Promise<unknown> => {
  const client = createClient({ server: cluster.url, credentials: () => ({ ca, serverName: name, ...credentials }) })
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  try {
    return await client.raw({ method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body })
  } finally {
    await client.close()
  }
}
const named = (username: string) => ({ status: { userInfo: { username } } })
const certified = ({ cert, key }: { cert: string; key: string }): Credentials => ({ certificate: cert, key })

const admin = createClient({
  server: cluster.url,
  credentials: () => ({ ca: serverCa.caCert, serverName: name, token: cluster.adminToken }),
})
t.teardown(admin.close)

const accountToken = async (): Promise<string> => {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const answer = (await admin.raw({ method: 'POST', path, body })) as { status: { token: string } }
  return answer.status.token
}

t.test('the given certificate is shown, and its authorities, tokens and keys decide who is let in', async t => {
  const person = { commonName: 'person', organizations: ['system:masters'] }
  matches(t, await userOf(certified(clientCa.client(person))), named('person'))
  matches(t, await userOf({ token: 'first-token' }), named('health-check'))
  matches(t, await userOf({ token: await accountToken() }), named('system:serviceaccount:default:default'))
  await rejects(t, userOf(certified(otherCa.client(person))), { code: 403 })
  await rejects(t, userOf({ token: 'first-token' }, otherCa.caCert), { loss: 'untrusted' })
})

t.test('another identity is taken over while it runs', async t => {
  const before = await accountToken()
  const both = { signing: second.signing, verifying: `${second.verifying}${first.verifying}` }
  cluster.useIdentity(identity({ accountKeys: both, staticTokens: 'second-token,health-check,health-check,\n' }))
  const after = await accountToken()
  for (const token of [before, after])
    matches(t, await userOf({ token }), named('system:serviceaccount:default:default'))
  matches(t, await userOf({ token: 'second-token' }), named('health-check'))
  await rejects(t, userOf({ token: 'first-token' }), { code: 401 })

  cluster.useIdentity(identity({ accountKeys: second, serving: otherCa.serving([name]) }))
  matches(t, await userOf({ token: after }, otherCa.caCert), named('system:serviceaccount:default:default'))
  await rejects(t, userOf({ token: before }, otherCa.caCert), { code: 401 })
})
