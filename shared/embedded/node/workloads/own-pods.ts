// Pods that a controller creates and deletes, and the Events about it.
import type { KubeObject } from '../../../core/objects/object.ts'
import { StatusError } from '../../status.ts'
import type { JsonMap } from '../../value.ts'
import type { Look } from '../controller.ts'
import { type EventContent, podCreated, podDeleted, podRefused } from '../node-events.ts'

type PodEvents = { made(pod: KubeObject): EventContent; refused(why: string): EventContent }

/** A refusal becomes an Event, and the look ends with its error. */
export const created = async (look: Look, owner: KubeObject, pod: JsonMap, events: PodEvents): Promise<void> => {
  try {
    look.record(owner, events.made(await look.hands.create(pod)))
  } catch (error) {
    if (error instanceof StatusError) look.record(owner, events.refused(error.message))
    throw error
  }
}

export const createPod = (look: Look, owner: KubeObject, pod: JsonMap): Promise<void> =>
  created(look, owner, pod, { made: podCreated, refused: podRefused })

export const removePod = async (look: Look, owner: KubeObject, pod: KubeObject): Promise<void> => {
  await look.hands.remove(pod)
  look.record(owner, podDeleted(pod))
}
