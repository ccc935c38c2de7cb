// A stand-in for a cloud's load balancers: every Service of type LoadBalancer gets an address, to which nothing leads.
import type { Client } from '../../kube/client-types.ts'
import { fieldsAt, listAt, textAt } from '../value.ts'
import type { StandIn } from './stand-in.ts'
import { statusWritten } from './writes.ts'

const services = { apiVersion: 'v1', kind: 'Service' }

const address = '192.0.2.10'

export const loadBalancer = (client: Client): StandIn => ({
  name: 'load-balancer',
  kinds: [{ ...services, client }],
  look: async known => {
    const writer = { client, manager: 'cloud-controller-manager' }
    for (const service of known.all(services)) {
      const has = listAt(service, 'status', 'loadBalancer', 'ingress').length > 0
      if (textAt(service, 'spec', 'type') !== 'LoadBalancer' || has) continue
      const loadBalancer = { ...fieldsAt(service, 'status', 'loadBalancer'), ingress: [{ ip: address }] }
      await statusWritten(writer, service, { loadBalancer })
    }
    return undefined
  },
})
