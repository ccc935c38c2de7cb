// The webhooks of a mesh: what istiod writes into them, its authority and whether they refuse when it is away, and a person who undoes
// that.
import { type JsonMap, mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'

type MeshWebhooks = {
  /** Failure policy and authority of each. */
  read(): Promise<JsonMap>
  /** Each once. */
  authorities(): Promise<readonly string[]>
  /** All refuse when istiod is away, and trust it. */
  areOpen(): Promise<boolean>
  /** A validating configuration of one webhook, as it is before istiod writes to it. */
  shut(name: string): Promise<unknown>
}

const registration = { apiVersion: 'admissionregistration.k8s.io/v1' }
const [mutating, validating] = [
  { ...registration, kind: 'MutatingWebhookConfiguration' },
  { ...registration, kind: 'ValidatingWebhookConfiguration' },
] as const

export const meshWebhooks = (client: Client): MeshWebhooks => {
  const rows = async () => {
    const found = await Promise.all([mutating, validating].map(kind => client.list(kind)))
    return found.flat().flatMap(rowsOf)
  }
  const authorities = async () => [...new Set((await rows()).map(({ is }) => is.authority))]
  return {
    read: async () => Object.fromEntries((await rows()).map(({ name, is }) => [name, is])),
    authorities,
    areOpen: async () => {
      const [one = '', ...others] = await authorities()
      return one !== '' && others.length === 0 && (await rows()).every(({ is }) => is.failurePolicy === 'Fail')
    },
    shut: async name => {
      const ref = { ...validating, namespace: '', name }
      const [webhook = {}] = mapsIn((await client.get(ref))?.webhooks)
      const clientConfig = { ...mapOrEmpty(webhook.clientConfig), caBundle: null }
      const body = { webhooks: [{ ...webhook, failurePolicy: 'Ignore', clientConfig }] }
      return client.patch(ref, { type: 'merge', body }, { fieldManager: 'person' })
    },
  }
}

const rowsOf = ({ metadata, webhooks }: KubeObject) =>
  mapsIn(webhooks).map(({ name, clientConfig, failurePolicy }) => ({
    name: `${metadata.name} ${name}`,
    is: { failurePolicy: String(failurePolicy), authority: String(mapOrEmpty(clientConfig).caBundle ?? '') },
  }))
