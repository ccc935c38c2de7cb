// Reads what an API server has stored in its etcd, as stored: encrypted or not.
import type { ApiClient } from '../clients/api.ts'

type Range = { readonly kvs?: readonly { readonly key: string; readonly value: string }[] }

/** All values below a prefix such as `/registry/secrets/`, by key. Each character of a text is one byte of the value. */
export async function storedBelow(etcd: ApiClient, prefix: string): Promise<Map<string, string>> {
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`
  const { status, text, body } = await etcd.call('POST', '/v3/kv/range', {
    body: { key: btoa(prefix), range_end: btoa(end) },
  })
  if (status !== 200) throw new Error(`etcd answers ${status}: ${text}`)
  const { kvs = [] } = body as Range
  return new Map(kvs.map(({ key, value }) => [atob(key), atob(value)]))
}
