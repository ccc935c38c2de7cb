// What API servers of a Garden start with: contents of ConfigMaps and Secrets that a Garden names.
import { stringify } from 'yaml'

/** Of a webhook that an API server asks. */
export const webhookKubeconfig = stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'webhook',
  contexts: [{ name: 'webhook', context: { cluster: 'webhook', user: 'webhook' } }],
  clusters: [{ name: 'webhook', cluster: { server: 'https://webhook.example.com' } }],
  users: [{ name: 'webhook', user: { token: 'of-people' } }],
})

export const auditPolicy = stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] })

/** An authentication configuration, of one issuer. */
export const authentication = (url = 'https://issuer.example.com'): string =>
  stringify({
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'AuthenticationConfiguration',
    jwt: [{ issuer: { url, audiences: ['garden'] }, claimMappings: { username: { claim: 'sub', prefix: '' } } }],
  })

/** An authorization configuration, a webhook for each name. */
export const authorizers = (...names: readonly string[]): string => {
  const webhook = { timeout: '3s', subjectAccessReviewVersion: 'v1', failurePolicy: 'Deny' }
  const webhooks = names.map(name => `- { type: Webhook, name: ${name}, webhook: ${JSON.stringify(webhook)} }`)
  return [
    'apiVersion: apiserver.config.k8s.io/v1beta1',
    'kind: AuthorizationConfiguration',
    `authorizers: ${names.length === 0 ? '[]' : ''}`,
    ...webhooks,
    '',
  ].join('\n')
}
