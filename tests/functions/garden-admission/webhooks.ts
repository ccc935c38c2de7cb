// garden-admission behind the host's own routes, for tests that send it bodies.
import type { InjectOptions } from 'fastify'
import { gardenAdmission } from '../../../functions/garden-admission/index.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { testHost } from '../../http/host-parts.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { request } from './reviews.ts'

const landscape = readLandscape(new URL('../../../serverless.yml', import.meta.url))
const paths = {
  defaulting: '/webhooks/default-operator-gardener-cloud-v1alpha1-garden',
  validation: '/webhooks/validate-operator-gardener-cloud-v1alpha1-garden',
}

type Host = ReturnType<typeof testHost>

/** A host with this function alone. */
export const hostOf = (cluster = new MemoryCluster(), admission = gardenAdmission): Host =>
  testHost({ functions: [admission], landscape }, cluster)

/** A whole AdmissionReview about a Garden. */
export const asked = (change: object, apiVersion = 'admission.k8s.io/v1') => ({
  apiVersion,
  kind: 'AdmissionReview',
  request: request(change),
})

type Sent = { to?: keyof typeof paths; headers?: object; method?: string; host?: Host }

/** The answer to a body, sent to the validating webhook when nothing else is said. */
export const sent = (
  payload: unknown,
  { to = 'validation', headers = {}, method = 'POST', host = hostOf() }: Sent = {},
) =>
  host.webhooks.inject({
    method,
    url: paths[to],
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  } as InjectOptions)
