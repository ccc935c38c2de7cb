// Notes each ConfigMap with the label `note` in another ConfigMap, and then on itself. Who is forgetful counts notes to name the next one,
// reads what it may not, and says what is in a Secret. Who is stubborn goes on with no note of another process. Who is fickle notes one
// object alone.
import { type KubeObject, type ReconcileFunction, secretText, settled } from 'espalier'
import { isForbidden } from 'espalier/kube'

type World = { readonly object: KubeObject; readonly notes: readonly KubeObject[]; readonly secret?: KubeObject }

const label = 'example.org/note'

type Ways = { readonly isForgetful?: boolean; readonly isStubborn?: boolean; readonly isFickle?: boolean }

export const noting = (
  name: string,
  { isForgetful = false, isStubborn = false, isFickle = false }: Ways,
): ReconcileFunction<World> => {
  let only: string | undefined
  return {
    does: 'reconcile',
    name,
    kind: { apiVersion: 'v1', kind: 'ConfigMap' },
    gather: async (object, { reads }) => {
      const { namespace = '' } = object.metadata
      if (isForgetful)
        await reads.get({ apiVersion: 'v1', kind: 'Service', namespace, name: 'other' }).catch(error => {
          if (!isForbidden(error)) throw error
        })
      const notes = await reads.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace, labelSelector: label })
      if (isStubborn && notes.length > 0 && !object.metadata.annotations?.noted)
        throw new Error('somebody noted it already')
      only ??= object.metadata.uid
      return {
        object,
        notes,
        secret: await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'password' }),
      }
    },
    decide: ({ object, notes, secret }) => {
      const { namespace, name, annotations, uid } = object.metadata
      const isSkipped = isFickle && uid !== only
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
              ...(isSkipped ? [] : [{ do: 'apply' as const, object: note }]),
              { do: 'patch', target: object, merge: { metadata: { annotations: { noted: 'yes' } } }, order: 1 },
            ],
        status: {},
        events: isDone ? [] : [{ type: 'Normal', reason: 'Noted', message }],
        next: settled,
      }
    },
  }
}
