// The functions with the definitions of the Go operator, and the Go operator's status with ours.
import t from 'tap'
import { kyma } from '../../../functions/kyma/index.ts'
import { mandatoryModulesDelete } from '../../../functions/mandatory-modules-delete/index.ts'
import { mandatoryModulesInstall } from '../../../functions/mandatory-modules-install/index.ts'
import { manifest } from '../../../functions/manifest/index.ts'
import { purge } from '../../../functions/purge/index.ts'
import { runtimeCertificate } from '../../../functions/runtime-certificate/index.ts'
import { watcher } from '../../../functions/watcher/index.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import {
  kymaKind,
  manifestKind,
  moduleReleaseMetaKind,
  moduleTemplateKind,
  watcherKind,
} from '../../../shared/api/kyma.ts'
import { type JsonMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import { refOf } from '../../../shared/core/objects/object.ts'
import type { Watcher } from '../../../shared/kyma/kinds.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { define, testCrd } from '../../harness/clusters/test-definitions.ts'
import { callOf, crd } from '../../harness/component/orchards.ts'
import { kymaClusters } from '../../harness/kyma/kyma-clusters.ts'
import { modulesAtWork } from '../../harness/kyma/modules-at-work.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { goDefinitions } from '../../make/kyma/go-definitions.ts'
import { kyma as kymaOf, moduleManifest, watcher as watcherOf } from '../../make/kyma/kyma.ts'

const person = { fieldManager: 'person' }
const namespace = 'kcp-system'
const there = 'kyma-system'
const ground = await kymaClusters(t, goDefinitions())
const { client, far } = ground
const work = await modulesAtWork(t, ground)

const configMap: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'module', namespace: there },
  data: {},
}
const data = { apiVersion: 'telemetry.example/v1', kind: 'Telemetry', metadata: { name: 'default' }, spec: {} }

const bare = (kind: { apiVersion: string; kind: string }): KubeObject => ({
  ...kind,
  metadata: {
    name: 'bare',
    namespace,
    labels: { [kymaNames.labels.kymaName]: 'first', [kymaNames.labels.moduleName]: 'telemetry' },
  },
})

const functions = {
  kyma,
  manifest,
  watcher,
  mandatoryModulesInstall,
  mandatoryModulesDelete,
  purge,
  runtimeCertificate,
}
const call = (name: keyof typeof functions, object = 'bare') =>
  reconcile(functions[name] as ReconcileFunction, { namespace, name: object }, { ...callOf(ground.everywhere) })

t.test('KY-318 with the definitions of the Go operator modules come and go, beside objects without a spec', async t => {
  const kinds = [kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind, watcherKind]
  for (const kind of kinds) await client.create(bare(kind), person)
  const objects = [crd('telemetry.example', 'Telemetry', 'telemetries'), configMap]
  await work.release('telemetry', '1.0.0', { objects, data })
  await ground.kymaNamed('first', { spec: { modules: [{ name: 'telemetry' }] } })
  await ground.access('first', ground.runtime.kubeconfig)
  const isReady = async () => {
    const both = [await ground.read('first'), await ground.copy()]
    return both.every(kyma => kyma?.status?.state === 'Ready' && kyma.status.modules?.[0]?.state === 'Ready')
  }
  await eventually('the Kyma and its copy are Ready', isReady, 30)
  t.ok(await far.get(refOf(configMap)))
  await ground.changeCopy({ spec: { modules: [] } })
  await eventually('the module is gone', async () => (await far.get(refOf(configMap))) === undefined, 30)
  await ground.remove('first')
  await eventually('the Kyma is gone', async () => (await ground.read('first')) === undefined, 30)
})

t.test('KY-332 with the definition of the Go operator a Watcher gets its route, and goes with it', async t => {
  for (const crd of ['virtualservices', 'gateways'] as const) await define(client, testCrd(crd))
  const gateway = { apiVersion: 'networking.istio.io/v1', kind: 'Gateway' }
  const metadata = { name: 'events', namespace, labels: { app: 'gateway' } }
  await client.create({ ...gateway, metadata, spec: { servers: [{ hosts: ['events.example.com'] }] } }, person)
  await client.create(watcherOf(), person)
  const live = async () => (await client.get(refOf(watcherOf()))) as Watcher
  const route = { ...refOf(watcherOf()), apiVersion: gateway.apiVersion, kind: 'VirtualService' }
  await call('watcher', 'kyma-watcher')
  matches(t, await live(), {
    spec: watcherOf().spec,
    status: { state: 'Ready', observedGeneration: 1, conditions: [{ type: 'VirtualService', status: 'True' }] },
  })
  matches(t, await client.get(route), { spec: { hosts: ['events.example.com'] } })
  await client.delete(refOf(watcherOf()), {})
  while ((await call('watcher', 'kyma-watcher')).outcome !== 'settled');
  t.strictSame([await live(), await client.get(route)], [undefined, undefined])
})

t.test('KY-318 an object without a spec is read as one with an empty spec', async t => {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } }, person)
  await client.create({ ...bare(manifestKind), metadata: { name: 'alone', namespace } }, person)
  const stateOf = async (kind: GroupVersionKind, name = 'bare') =>
    mapOrEmpty((await client.get({ ...refOf(bare(kind)), name }))?.status)
  await call('manifest', 'alone')
  matches(t, await stateOf(manifestKind, 'alone'), { state: 'Error', lastOperation: { operation: 'spec is missing' } })
  await call('watcher')
  t.equal((await stateOf(watcherKind)).state, 'Error')
  await call('kyma')
  const operation = /^access secret not found/
  matches(t, await stateOf(kymaKind), { state: 'Error', modules: [], lastOperation: { operation } })
  for (const name of ['mandatoryModulesInstall', 'mandatoryModulesDelete', 'purge', 'runtimeCertificate'] as const)
    t.equal((await call(name)).outcome, 'settled', name)
})

/** As structs of Go become JSON: what is optional and empty is left out. */
const goStatuses: readonly { readonly object: KubeObject; readonly status: JsonMap }[] = [
  {
    object: kymaOf({ metadata: { name: 'of-go' } }),
    status: {
      lastOperation: { operation: '' },
      modules: [
        {
          name: 'telemetry',
          state: 'Ready',
          maintenance: false,
          manifest: {},
          resource: { metadata: {} },
          template: { kind: 'ModuleTemplate' },
        },
      ],
    },
  },
  {
    object: moduleManifest({ metadata: { name: 'of-go' } }),
    status: { state: 'Ready', lastOperation: { operation: '' } },
  },
]

t.test('KY-319 what the Go operator leaves out of a status is not required', async t => {
  for (const definition of kymaCrds()) await define(client, definition as KubeObject)
  for (const { object, status } of goStatuses) {
    await client.create(object, person)
    const body = { status }
    const { status: stored } = await client.patch(
      refOf(object),
      { type: 'merge', body },
      { ...person, subresource: 'status' },
    )
    matches(t, stored, status)
  }
  await eventually('the next pass has gone on from it', async () => {
    await call('kyma', 'of-go')
    return /^access secret not found/.test((await ground.read('of-go'))?.status?.lastOperation?.operation ?? '')
  })
})
