// A Watcher asks for certificates; what the listener uses is emptied and deleted, and the authority is lost.
import { watcherKind } from '../../../shared/api/kyma.ts'
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { watcher } from '../../make/kyma/kyma.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'istio-system'
const secretKind = { apiVersion: 'v1', kind: 'Secret', namespace }
const [root, gateway] = ['klm-watcher', 'klm-istio-gateway'].map(name => ({ ...secretKind, name })) as [
  ObjectRef,
  ObjectRef,
]

const theWatcher: ObjectRef = { ...watcherKind, namespace: 'kcp-system', name: 'faulty-listener' }

const textIn = ({ data }: KubeObject, file: string): string =>
  Buffer.from(String((isMap(data) ? data[file] : undefined) ?? ''), 'base64').toString()

const authoritiesIn = (secret: KubeObject): readonly string[] => textIn(secret, 'ca.crt').split(/(?<=END.*-\n)/)

const named = (objects: readonly KubeObject[], { name }: ObjectRef): KubeObject | undefined =>
  objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name)

/** Keys and certificates are random: what counts is how many are trusted, and whether those of the authority are. */
const masked = (objects: readonly KubeObject[]): KubeObject[] => {
  const wanted = named(objects, root)
  return objects.map(object =>
    object.kind !== 'Secret'
      ? object
      : {
          ...object,
          metadata: { ...object.metadata, annotations: {} },
          data: {
            files: isMap(object.data) ? Object.keys(object.data).sort() : [],
            trusted: authoritiesIn(object).length,
            isFirst: wanted !== undefined && authoritiesIn(object)[0] === authoritiesIn(wanted)[0],
          },
        },
  )
}

type Masked = { files: readonly string[]; trusted: number; isFirst: boolean }

const trusts =
  (count: number): Stage['faults'] =>
  objects => {
    const found = named(objects, gateway)?.data as Masked | undefined
    return found?.files.join() === 'ca.crt,tls.crt,tls.key' && found.trusted === count && found.isFirst
      ? []
      : [`the listener has ${JSON.stringify(found)}; wanted: ${count} authorities`]
  }

export const scenarios: readonly Scenario[] = [
  {
    title: 'certificates come with a Watcher, are spoilt and lost',
    key: { namespace: '', name: namespace },
    crds: ['operator.kyma-project.io_watchers.yaml'],
    namespaces: [namespace, 'kcp-system'],
    observes: [
      { ...watcherKind, namespace: 'kcp-system' },
      ...[root, gateway].map(({ name }) => ({ ...secretKind, fieldSelector: `metadata.name=${name}` })),
    ],
    masked,
    dependent: gateway,
    // The others are deleted on the way, and with them what a rival wrote.
    rivalry: { ref: theWatcher, leaves: ['status'] },
    stages: [
      {
        title: 'a Watcher',
        change: people => people.create(watcher({ metadata: { name: theWatcher.name } })),
        faults: trusts(1),
      },
      {
        title: 'the trust of the listener is emptied',
        change: people => people.change(gateway, { data: { 'ca.crt': '' } }),
        faults: trusts(1),
      },
      {
        title: 'what the listener uses is deleted',
        change: people => people.delete(gateway),
        faults: trusts(1),
      },
      {
        title: 'the authority is deleted: another one is trusted beside it',
        change: people => people.delete(root),
        faults: trusts(2),
      },
    ],
  },
]
