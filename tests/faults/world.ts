// The cluster a scenario plays in, seen by somebody who may do everything and whom no fault concerns: makes the stage,
// plays the people, looks at what is there, clears up.
import { join } from 'node:path'
import { type KubeObject, type ObjectRef, refOf } from '../../shared/core/objects/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../../shared/kube/errors.ts'
import { served } from '../harness/clusters/test-definitions.ts'
import { documents } from './documents.ts'
import type { People, Scenario } from './scenario.ts'

export type World = {
  readonly people: People
  /** Makes kinds and namespaces that the scenario needs, where they are missing. */
  furnish(scenario: Scenario): Promise<void>
  /** All objects of the story, by kind and name. */
  observe(scenario: Scenario): Promise<KubeObject[]>
  /** All Events there are. */
  events(): Promise<KubeObject[]>
  /** Removes the object, whatever holds it. */
  remove(ref: ObjectRef): Promise<void>
  /** Removes all objects of the story so. */
  clear(scenario: Scenario): Promise<void>
}

const fieldManager = 'people'
const crdFolder = join(import.meta.dirname, '..', '..', 'manifests', 'crds')

/** The world as this client sees it, which may do everything. */
export const worldOf = (admin: Client): World => ({
  people: {
    create: object => admin.create(object, { fieldManager }),
    change: (ref, body) => admin.patch(ref, { type: 'merge', body }, { fieldManager }),
    changeStatus: (ref, status) =>
      admin.patch(ref, { type: 'merge', body: { status } }, { fieldManager, subresource: 'status' }),
    delete: ref => admin.delete(ref, {}),
    release: (ref, finalizer) => release(admin, ref, finalizer),
  },
  furnish: async ({ crds, namespaces, observes }) => {
    for (const file of crds) for (const crd of await documents(join(crdFolder, file))) await make(admin, crd)
    for (const name of namespaces) await make(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    for (const query of observes) await served(admin, query)
  },
  observe: scenario => observed(admin, scenario),
  events: () => admin.list({ apiVersion: 'v1', kind: 'Event' }),
  remove: ref => remove(admin, ref),
  clear: async scenario => {
    for (const object of await observed(admin, scenario)) await remove(admin, refOf(object))
  },
})

/** Reads again and again until nobody is faster. */
const release = async (admin: Client, ref: ObjectRef, finalizer: string): Promise<void> => {
  const object = await admin.get(ref)
  if (!object) return
  const finalizers = object.metadata.finalizers?.filter(name => name !== finalizer)
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion, finalizers } }
  try {
    await admin.patch(ref, { type: 'merge', body }, { fieldManager })
  } catch (error) {
    if (!isConflict(error)) throw error
    await release(admin, ref, finalizer)
  }
}

const observed = async (admin: Client, { observes }: Scenario): Promise<KubeObject[]> =>
  (await Promise.all(observes.map(query => admin.list(query)))).flat()

/** Creates the object unless there is one of that name. */
export const make = async (admin: Client, object: KubeObject): Promise<void> => {
  try {
    await admin.create(object, { fieldManager })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

const remove = async (admin: Client, ref: ObjectRef): Promise<void> => {
  try {
    await admin.patch(ref, { type: 'merge', body: { metadata: { finalizers: null } } }, { fieldManager })
    await admin.delete(ref, {})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
