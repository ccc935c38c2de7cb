// Notes each ConfigMap with the label `note` in another ConfigMap, and then on itself. Who is forgetful counts notes to name the next one,
// reads what it may not, and says what is in a Secret.
import { type KubeObject, type ReconcileFunction, secretText, settled } from 'espalier'
import { isForbidden } from 'espalier/kube'

type World = { readonly object: KubeObject; readonly notes: readonly KubeObject[]; readonly secret?: KubeObject }

const label = 'example.org/note'

export const noting = (name: string, { isForgetful }: { isForgetful: boolean }): ReconcileFunction<World> => ({
  does: 'reconcile',
  name,
  kind: { apiVersion: 'v1', kind: 'ConfigMap' },
  gather: async (object, { reads }) => {
    const { namespace = '' } = object.metadata
    if (isForgetful)
      await reads.get({ apiVersion: 'v1', kind: 'Service', namespace, name: 'other' }).catch(error => {
        if (!isForbidden(error)) throw error
      })
    return {
      object,
      notes: await reads.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace, labelSelector: label }),
      secret: await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'password' }),
    }
  },
  decide: ({ object, notes, secret }) => {
    const { namespace, name, annotations } = object.metadata
    const isDone = annotations?.noted === 'yes'
    const note = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { namespace, name: `${name}-${isForgetful ? notes.length : 'note'}`, labels: { [label]: name } },
    }
    const message = isForgetful && secret ? `the password is ${secretText(secret, 'password')}` : 'noted'
    return {
      steps: isDone
        ? []
        : [
            { do: 'apply', object: note },
            { do: 'patch', target: object, merge: { metadata: { annotations: { noted: 'yes' } } }, order: 1 },
          ],
      status: {},
      events: isDone ? [] : [{ type: 'Normal', reason: 'Noted', message }],
      next: settled,
    }
  },
})
