// Counts requests to API servers under client-go's metric name, for host and relay.
import { Counter, type Registry } from 'prom-client'
import type { RequestNote } from '../client-types.ts'

export const requestMetric = (registry: Registry): ((request: Pick<RequestNote, 'code' | 'method'>) => void) => {
  const requests = new Counter({
    registers: [registry],
    name: 'rest_client_requests_total',
    help: 'Requests to API servers per code and method',
    labelNames: ['code', 'method'],
  })
  return ({ code, method }) => requests.inc({ code, method })
}
