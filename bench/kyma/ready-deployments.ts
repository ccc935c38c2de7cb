// A node that has the Pods of every Deployment running at once, as far as anybody can tell from its status.
import { type BareApi, eventsIn } from '../measure/bare-api.ts'
import { progress } from '../measure/report.ts'

const collection = '/apis/apps/v1/deployments'

/** Begins at once; the answer ends it. */
export const keepDeploymentsReady = (api: BareApi): (() => void) => {
  const ending = new AbortController()
  void follow(api, ending.signal).catch(error => {
    if (!ending.signal.aborted) progress(`Deployments are no longer made ready: ${error}`)
  })
  return () => ending.abort()
}

const follow = async (api: BareApi, signal: AbortSignal): Promise<void> => {
  const stream = await api.stream(`${collection}?watch=1&resourceVersion=0`, signal)
  for await (const event of eventsIn<Event>(stream)) void makeReady(api, event)
}

type Event = {
  readonly type: string
  readonly object: {
    readonly metadata: { readonly namespace: string; readonly name: string; readonly generation: number }
    readonly status?: { readonly observedGeneration?: number }
  }
}

const makeReady = async (api: BareApi, { type, object: { metadata, status } }: Event): Promise<void> => {
  const { namespace, name, generation } = metadata
  if (type === 'DELETED' || status?.observedGeneration === generation) return
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/status`
  await api
    .call('PATCH', path, { body: { status: readyStatus(generation) }, contentType: 'application/merge-patch+json' })
    .catch(error => progress(`a Deployment is not made ready: ${error}`))
}

const readyStatus = (observedGeneration: number) => ({
  observedGeneration,
  replicas: 1,
  updatedReplicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
  conditions: [
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
  ].map(condition => ({ ...condition, message: '', lastUpdateTime: now(), lastTransitionTime: now() })),
})

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z')
