// What a story finds in its cluster: definitions, and kinds that are served.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parse } from 'yaml'
import type { GroupVersionKind, KubeObject } from '../../shared/core/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { isNotFound, isNotServed } from '../../shared/kube/errors.ts'

/** A definition made for tests; see crds/. */
export const testCrd = (name: 'managedresources' | 'etcds' | 'clusters'): KubeObject =>
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

/** Resolves when the kind is served: discovery follows a definition when it likes, and no event tells. */
export const served = async (client: Client, kind: GroupVersionKind): Promise<void> => {
  for (const signal = AbortSignal.timeout(30_000); ; signal.throwIfAborted()) {
    try {
      await client.list(kind)
      return
    } catch (error) {
      if (!isNotServed(error) && !isNotFound(error)) throw error
      await wait(50)
    }
  }
}
