// Admission: the namespace's life, the cluster's own rules and the configured webhooks, in the API server's order.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Registry } from '../kinds/registry.ts'
import type { Store } from '../storage/store.ts'
import type { Attributes } from './attributes.ts'
import type { WebhookCaller } from './call-webhook.ts'
import { requireNamespace } from './namespace-life.ts'
import { withServiceAccount } from './service-account.ts'
import { Webhooks } from './webhooks.ts'

export type Admission = {
  /** The object as webhooks and rules want it. Throws a StatusError when it is refused. */
  mutate(attributes: Attributes & { object: KubeObject }): Promise<KubeObject>
  validate(attributes: Attributes): Promise<void>
}

type AdmissionParts = { store: Store; registry: Registry; caller: WebhookCaller }

export const admission = ({ store, registry, caller }: AdmissionParts): Admission => {
  const webhooks = new Webhooks(store, registry, caller)
  return {
    mutate: async attributes => {
      requireNamespace(store, attributes)
      const object = withServiceAccount(store, attributes)
      return webhooks.mutate({ ...attributes, object })
    },
    validate: attributes => webhooks.validate(attributes),
  }
}
