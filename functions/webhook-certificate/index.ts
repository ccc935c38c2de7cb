// Maintains the certificate of our admission webhooks: CA and serving certificate in a Secret, and the CA bundles in webhook
// configurations. It is called for the namespace of the host, because the Secret may not exist yet.
import { kept } from '../../shared/core/tls/renewal.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import type { World } from './world.ts'

export const webhookCertificate: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'webhook-certificate',
  kind: { apiVersion: 'v1', kind: 'Namespace' },
  gather,
  decide,
  certificates: ({ authorities: [first] }) => kept('The certificate authority of the webhooks', first),
}
