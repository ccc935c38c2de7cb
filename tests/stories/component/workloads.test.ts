// What a Component says of workloads that do not become ready.
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { later, orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'

const ground = await orchards(t)
const { client, namespace } = ground
const definition = ground.define()

t.test('CO-123 a Deployment that is not ready names the reason of its Pod, which is read only then', async t => {
  const labels = { app: 'hopeless' }
  const spec = { containers: [{ name: 'app', image: 'nowhere.example/app' }] }
  const metadata = { name: 'hopeless', namespace }
  const deployment: KubeObject = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels }, spec }
  const write = { fieldManager: 'kubelet' }
  const setStatus = (object: KubeObject, status: JsonMap) =>
    client.patch(refOf(object), { type: 'merge', body: { status } }, { ...write, subresource: 'status' })
  const counted = async (seconds: number) => {
    const before = ground.requests.length
    await ground.settle(definition, 'hopeless', later(seconds))
    return ground.requests.length - before
  }
  await ground.plant('hopeless', { objects: [deployment] })
  await ground.settle(definition, 'hopeless')
  await client.create(pod, write)
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "nowhere.example/app"' }
  await setStatus(pod, { phase: 'Pending', containerStatuses: [statusOf(waiting)] })
  await counted(1)
  const before = `Waiting for: Deployment ${namespace}/hopeless: 0 of 1 replicas are there`
  t.equal((await ground.status('hopeless')).ready.message, before)
  const waitingAlone = await counted(1)
  await counted(6)
  const told = `${before}: Pod hopeless: ImagePullBackOff: ${waiting.message}`
  t.equal((await ground.status('hopeless')).ready.message, told)
  t.equal(await counted(6), waitingAlone + 1, 'one LIST of Pods')
  const refused = new ApiError({ code: 403, reason: 'Forbidden', message: 'no Pods' })
  const narrow = altered(ground.own, real => ({
    async *pages(query) {
      if (query.kind === 'Pod') throw refused
      yield* real.pages(query)
    },
  }))
  await ground.settle(definition, 'hopeless', { ...later(6), clusters: clusters({ local: narrow }) })
  t.equal((await ground.status('hopeless')).ready.message, before, 'nothing more without the right to list Pods')
  const counts = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 }
  const conditions = [
    { type: 'Available', status: 'True' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
  ]
  await setStatus(deployment, { ...counts, observedGeneration: 1, conditions })
  await counted(6)
  matches(t, await ground.status('hopeless'), { state: 'Ready' })
  t.equal(await counted(6), waitingAlone, 'none as soon as it is ready')
})

const statusOf = (waiting: JsonMap): JsonMap => ({
  ...{ name: 'app', image: 'nowhere.example/app', imageID: '', ready: false, restartCount: 0 },
  state: { waiting },
})
