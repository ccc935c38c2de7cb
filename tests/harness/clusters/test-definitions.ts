// Definitions for stories, and waiting until their kinds are served.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { isNotFound, isNotServed } from '../../../shared/kube/errors.ts'
import { eventually } from '../until.ts'

type TestCrd = 'managedresources' | 'etcds' | 'clusters' | 'gateways' | 'virtualservices'

/** A definition made for tests; see crds/. */
export const testCrd = (name: TestCrd): KubeObject =>
  parse(readFileSync(join(import.meta.dirname, 'crds', `${name}.yaml`), 'utf8'))

/** Applies a definition and waits until its kind is served. */
export const define = async (client: Client, crd: KubeObject): Promise<void> => {
  await client.apply(crd, { fieldManager: 'person', force: true })
  const { group, names, versions } = crd.spec as {
    group: string
    names: { kind: string }
    versions: { name: string }[]
  }
  await served(client, { apiVersion: `${group}/${versions[0]?.name}`, kind: names.kind })
}

/** Resolves when the kind is served. Discovery follows a definition with a delay, and no event reports it. */
export const served = (client: Client, kind: GroupVersionKind): Promise<void> =>
  eventually(`${kind.kind} is served`, async () => {
    try {
      await client.list(kind)
      return true
    } catch (error) {
      if (!isNotServed(error) && !isNotFound(error)) throw error
      return false
    }
  })

/**
 * Resolves when the webhook denies the object, of which nothing is stored. API servers learn of webhook configurations, and of the authorities in
 * them, with a delay, and no event reports it.
 */
export const deniedBy = (client: Client, webhook: string, object: KubeObject): Promise<void> =>
  eventually(`${webhook} denies ${object.kind} ${object.metadata.name}`, async () => {
    const answer = await client.create(object, { fieldManager: 'person', dryRun: true }).catch(String)
    return String(answer).includes(`admission webhook "${webhook}" denied the request`)
  })
