// Keeps the certificate of our admission webhooks: authority and serving certificate in a Secret, trust in the webhook
// configurations. It is called for the namespace we run in, since the Secret may not exist yet.
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
