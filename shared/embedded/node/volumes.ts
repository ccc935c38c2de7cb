// Volumes without a provisioner: a claim is bound at once to nothing, and deleted when no Pod uses it.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Change } from '../storage/history.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, listAt, textAt } from '../value.ts'
import { inNamespace } from './claims.ts'
import type { Controller, Look } from './controller.ts'
import { controllerWorker } from './controller-worker.ts'
import { isEnded, isEnding } from './pods/pod-template.ts'

const claimProtection = 'kubernetes.io/pvc-protection'
const volumeProtection = 'kubernetes.io/pv-protection'

const claimsOf = (pod: KubeObject): string[] =>
  listAt(pod, 'spec', 'volumes').flatMap(volume => textAt(volume, 'persistentVolumeClaim', 'claimName') || [])

export const volumeClaims: Controller = {
  name: 'persistentvolumeclaim-controller',
  worker: controllerWorker('pvc-protection-controller'),
  collection: 'persistentvolumeclaims',
  concerns: {
    pods: ({ stored }: Change) => claimsOf(stored.object).map(name => `${stored.object.metadata.namespace}/${name}`),
  },
  tend: async (look, claim) => {
    if (isEnding(claim)) {
      if (!isUsed(look.store, claim)) await setFree(look, claim, claimProtection)
      return
    }
    const { accessModes, resources } = fieldsAt(claim, 'spec') ?? {}
    const capacity = fieldsAt(resources, 'requests')
    await look.hands.report(claim, { ...fieldsAt(claim, 'status'), phase: 'Bound', accessModes, capacity })
  },
}

const isUsed = (store: Store, { metadata }: KubeObject): boolean =>
  inNamespace(store, 'pods', metadata.namespace ?? '').some(
    pod => !isEnded(pod) && claimsOf(pod).includes(metadata.name),
  )

const setFree = async ({ hands }: Look, object: KubeObject, finalizer: string): Promise<void> => {
  if (!object.metadata.finalizers?.includes(finalizer)) return
  await hands.update(object, now => ({
    ...now,
    metadata: { ...now.metadata, finalizers: now.metadata.finalizers?.filter(each => each !== finalizer) },
  }))
}

export const volumes: Controller = {
  name: 'persistentvolume-controller',
  worker: controllerWorker('pv-protection-controller'),
  collection: 'persistentvolumes',
  concerns: {},
  tend: async (look, volume) => {
    if (isEnding(volume)) await setFree(look, volume, volumeProtection)
    else await look.hands.report(volume, { ...fieldsAt(volume, 'status'), phase: 'Available' })
  },
}
