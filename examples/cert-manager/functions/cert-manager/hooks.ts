// What happens around cert-manager itself, when it is ready and when it goes.
import { conditionOf, type Hook, isTrue, type KubeObject, refOf, retriable } from 'espalier'
import { KindNotServed } from 'espalier/kube'
import { placeOf } from './placement.ts'

const apiVersion = 'cert-manager.io/v1'

/** Deployments are ready before the webhook answers everybody. Nobody is told that cert-manager is ready before it takes an Issuer. */
export const waitUntilServed: Hook = async ({ client, componentNamespace: namespace }) => {
  const issuer = { apiVersion, kind: 'Issuer', metadata: { namespace, name: 'check' }, spec: { selfSigned: {} } }
  await client.apply(issuer, { fieldManager: 'cert-manager.cs.sap.com', dryRun: true }).catch(error => {
    throw retriable(error, 5)
  })
}

/** Certificates and issuers of others block the deletion, as they should. A request that is over is history, and blocks nothing. */
export const forgetFinishedRequests: Hook = async ({ client }) => {
  const requests = await client.list({ apiVersion, kind: 'CertificateRequest' }).catch(error => {
    if (error instanceof KindNotServed) return []
    throw error
  })
  for (const request of requests.filter(isFinished)) await client.delete(refOf(request), { uid: request.metadata.uid })
}

const isFinished = (request: KubeObject): boolean => isTrue(conditionOf(request, 'Ready'))

/** The controllers make these Secrets, so the chart does not know them. A CertManager that was refused may name the place of another. */
export const removeOwnSecrets: Hook = async ({ client, component }, localClient) => {
  const { apiVersion, kind, metadata } = component
  const { namespace, name } = placeOf(component)
  const isHere = (one: KubeObject) => placeOf(one).namespace === namespace && placeOf(one).name === name
  const others = (await localClient.list({ apiVersion, kind })).filter(one => one.metadata.uid !== metadata.uid)
  if (others.some(isHere)) return
  await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: `${name}-webhook-ca` }, {})
}
