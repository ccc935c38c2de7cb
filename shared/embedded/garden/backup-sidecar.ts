// A stand-in for the backup sidecar of the main etcd, while that Etcd exists. The stand-in confirms every snapshot and stores none. It uses
// the Etcd's certificate, and only accepts clients with a certificate from the same authority.
import { createServer, type Server } from 'node:https'
import { etcdKind } from '../../api/garden/kinds.ts'
import { sameJson } from '../../core/json/json.ts'
import { secretText } from '../../core/objects/secret-text.ts'
import type { Client } from '../../kube/client-types.ts'
import { fieldsAt, listAt, textAt } from '../value.ts'
import { type Known, type ListeningAt, runStandIn, type StandIn, secretKind, statusWritten } from './stand-in.ts'

type Identity = { readonly cert: string; readonly key: string; readonly ca: string }
type Running = { readonly server: Server; readonly identity: Identity }

export const runBackupSidecar = (place: ListeningAt): (() => Promise<void>) => {
  const { runtime, namespace } = place
  let running: Running | undefined
  const stop = runStandIn({
    name: 'backup sidecar',
    kinds: [etcdKind, secretKind].map(kind => ({ ...kind, client: runtime, namespace })),
    reconcile: async known => {
      running = followed(place, identityIn(known, namespace), running)
      return undefined
    },
  })
  return async () => {
    await stop()
    followed(place, undefined, running)
  }
}

const followed = (
  place: ListeningAt,
  identity: Identity | undefined,
  running: Running | undefined,
): Running | undefined => {
  if (sameJson(identity, running?.identity)) return running
  if (identity === undefined) {
    running?.server.close()
    running?.server.closeAllConnections()
    return undefined
  }
  if (running === undefined) return { server: started(place, identity), identity }
  running.server.setSecureContext(identity)
  return { ...running, identity }
}

const started = ({ host, port }: ListeningAt, identity: Identity): Server =>
  createServer({ ...identity, requestCert: true }, (request, reply) =>
    reply.writeHead(request.url?.startsWith('/snapshot/full') ? 200 : 404).end('{}'),
  ).listen(port, host)

const identityIn = (known: Known, namespace: string): Identity | undefined => {
  const etcd = known.find({ ...etcdKind, namespace, name: 'virtual-garden-etcd-main' })
  const named = (field: string, ...path: string[]) => textAt(etcd, 'spec', 'backup', 'tls', field, ...path)
  const text = (field: string, key: string) =>
    secretText(known.find({ ...secretKind, namespace, name: named(field, 'name') }), key)
  const identity = {
    cert: text('serverTLSSecretRef', 'tls.crt'),
    key: text('serverTLSSecretRef', 'tls.key'),
    ca: text('tlsCASecretRef', named('tlsCASecretRef', 'dataKey')),
  }
  return Object.values(identity).every(part => part !== '') ? identity : undefined
}

const services = { apiVersion: 'v1', kind: 'Service' }

const addresses = { IPv4: '192.0.2.10', IPv6: '2001:db8::10' }

/** A stand-in for a cloud's load balancers. Every Service of type LoadBalancer gets an unrouted address of its first family. */
export const loadBalancer = (client: Client): StandIn => ({
  name: 'load-balancer',
  kinds: [{ ...services, client }],
  reconcile: async known => {
    const writer = { client, manager: 'cloud-controller-manager' }
    for (const service of known.all(services)) {
      const has = listAt(service, 'status', 'loadBalancer', 'ingress').length > 0
      if (textAt(service, 'spec', 'type') !== 'LoadBalancer' || has) continue
      const [family] = listAt(service, 'spec', 'ipFamilies')
      const ip = addresses[family === 'IPv6' ? 'IPv6' : 'IPv4']
      const loadBalancer = { ...fieldsAt(service, 'status', 'loadBalancer'), ingress: [{ ip }] }
      await statusWritten(writer, service, { loadBalancer })
    }
    return undefined
  },
})
