// What the agent of a runtime is made of: its certificate, and whom it trusts.
import t from 'tap'
import { gatherAgentSource } from '../../../functions/kyma/gather/agent.ts'
import { kymasConcerned } from '../../../functions/kyma/gather/kymas-concerned.ts'
import { defaultInstallation } from '../../../shared/api/installation.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { matches } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { kyma } from '../../make/kyma.ts'

const secret = (name: string, data: object): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'istio-system', name } },
  data,
})

const own = secret('default-id-webhook-tls', { 'ca.crt': 'bmV3', 'tls.crt': 'Y3J0', 'tls.key': 'a2V5' })
const gateway = secret('klm-istio-gateway', { 'ca.crt': 'bmV3b2xk' })
const agent = { image: 'x', eventAddress: 'events.example.com:443' }
const installation = { ...defaultInstallation, kyma: { ...defaultInstallation.kyma, agent } }

const sourceWith = (...objects: KubeObject[]) =>
  gatherAgentSource(kyma(), { reads: new MemoryCluster(objects).client, installation })

t.test('KY-150 the agent trusts every authority that the listener may show, not only the one of its own', async t => {
  const rest = { 'tls.crt': 'Y3J0', 'tls.key': 'a2V5' }
  matches(t, await sourceWith(own, gateway), { certificate: { 'ca.crt': 'bmV3b2xk', ...rest } })
  matches(t, await sourceWith(own), { certificate: { 'ca.crt': 'bmV3', ...rest } })
  matches(t, await sourceWith(gateway), { certificate: undefined })
})

t.test('KY-150 what the listener trusts concerns every Kyma', async t => {
  const { client: reads } = new MemoryCluster([kyma(), kyma({ metadata: { name: 'other' } })])
  const keys = await kymasConcerned(gateway, { reads, installation }, 'MODIFIED')
  t.strictSame(
    keys.map(({ name }) => name),
    ['default-id', 'other'],
  )
})
