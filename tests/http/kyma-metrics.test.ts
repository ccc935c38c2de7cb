// What a scraper sees of Kymas: it is read from the cluster, so every replica of the host shows the same.
import { getFips } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { kyma as kymaFunction } from '../../functions/kyma/index.ts'
import { mandatoryModulesInstall } from '../../functions/mandatory-modules-install/index.ts'
import { manifest } from '../../functions/manifest/index.ts'
import { mergePatched } from '../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { testFolder } from '../harness/test-folder.ts'
import { kyma, moduleManifest, moduleReleaseMeta, moduleTemplate } from '../make/kyma/kyma.ts'
import { mandatoryMeta, mandatoryTemplate } from '../make/kyma/mandatory-modules.ts'
import { settingsWith } from '../make/settings.ts'
import { authorization, testHost } from './host-parts.ts'
import { MemoryCluster } from './memory-cluster.ts'

const landscape = readLandscape(join(import.meta.dirname, '../../serverless.yml'))
const folder = testFolder(t)
const windowPolicyFile = join(folder, 'policy.json')
const settingsOf = settingsWith({ windowPolicyFile })

const fips = `lifecycle_mgr_fips_mode ${getFips()}`

/** What one replica shows of Kymas and mandatory modules. */
const shownBy = async (cluster: MemoryCluster): Promise<string[]> => {
  const context = hostContext(landscape, { clusters: cluster.clusters, settingsOf })
  const host = testHost({ functions: [kymaFunction, mandatoryModulesInstall], landscape, context }, cluster)
  const { body } = await host.functions.inject('/metrics')
  const lines = body.split('\n').filter(line => line.startsWith('lifecycle_mgr_'))
  t.ok(lines.includes(fips), 'KY-317 whether it runs in FIPS mode')
  return lines.filter(line => line !== fips)
}

const known = (name: string, state: string, modules: object[] = []) =>
  kyma({
    metadata: {
      name,
      labels: { 'kyma-project.io/instance-id': `instance-of-${name}` },
      annotations: { 'skr-domain': `${name}.kyma.example.com` },
    },
    status: { state, modules },
  } as never)

t.test('KY-66 KY-328 1 for the state of each Kyma and module and 0 for the others, on every replica', async t => {
  const cluster = new MemoryCluster([
    moduleReleaseMeta(),
    known('one', 'Ready', [{ name: 'telemetry', state: 'Unmanaged' }]),
    known('two', 'Error'),
    kyma({ metadata: { name: 'unknown' } }),
    mergePatched(known('foreign', 'Ready'), {
      metadata: { labels: { 'operator.kyma-project.io/managed-by': 'somebody' } },
    }) as KubeObject,
  ])
  const first = await shownBy(cluster)
  const kymaLine = (name: string, state: string, value: number): string =>
    `lifecycle_mgr_kyma_state{instance_id="instance-of-${name}",kyma_name="${name}",shoot="${name}",state="${state}"} ${value}`
  const states = ['Processing', 'Deleting', 'Ready', 'Error', 'Warning']
  t.strictSame(
    first.filter(line => line.startsWith('lifecycle_mgr_kyma_state')),
    [
      ...states.map(state => kymaLine('one', state, state === 'Ready' ? 1 : 0)),
      ...states.map(state => kymaLine('two', state, state === 'Error' ? 1 : 0)),
    ],
  )
  t.strictSame(
    first.filter(line => line.startsWith('lifecycle_mgr_module_state')),
    [...states, 'Unmanaged'].map(
      state =>
        `lifecycle_mgr_module_state{instance_id="instance-of-one",kyma_name="one",module_name="telemetry",shoot="one",state="${state}"} ${state === 'Unmanaged' ? 1 : 0}`,
    ),
  )
  t.strictSame(await shownBy(cluster), first, 'another replica, which was never called')
  cluster.objects.clear()
  t.notOk(
    (await shownBy(cluster)).some(line => line.includes('{')),
    'nothing is left of what is gone',
  )
})

t.test('KY-290 of modules that a runtime’s owner made up nothing is shown', async t => {
  const label = { 'operator.kyma-project.io/module-name': 'labelled' }
  const metadata = { name: 'x', namespace: 'kcp-system', generation: 1 }
  const named = { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Any', metadata }
  const madeUp = Array.from({ length: 500 }, (_, at) => ({ name: `made-up-${at}`, state: 'Warning' }))
  const cluster = new MemoryCluster([
    moduleReleaseMeta({ metadata: { name: 'released' } }),
    moduleTemplate({ metadata: { name: 'labelled-1.0.0', labels: label } }),
    known('one', 'Warning', [
      ...madeUp,
      { name: 'released', state: 'Error' },
      { name: 'labelled', state: 'Error' },
      { name: 'found-once', state: 'Warning', template: named },
      { name: 'installed', state: 'Ready', manifest: named },
    ]),
  ])
  const shown = (await shownBy(cluster)).flatMap(line => /module_state.*module_name="([^"]*)"/.exec(line)?.[1] ?? [])
  t.strictSame([...new Set(shown)], ['released', 'labelled', 'found-once', 'installed'])
})

t.test('KY-66 how many mandatory modules there are, and 1 for the state of each in each runtime', async t => {
  const op = 'operator.kyma-project.io'
  const installed = (name: string, kymaName: string, state: string, change: object = {}) =>
    moduleManifest({
      metadata: {
        name,
        labels: {
          [`${op}/mandatory-module`]: 'true',
          [`${op}/module-name`]: 'warden',
          [`${op}/kyma-name`]: kymaName,
          ...change,
        },
      },
      status: { state },
    } as never)
  const cluster = new MemoryCluster([
    ...['1.0.0', '1.1.0'].map(version => mandatoryTemplate('warden', version)),
    mandatoryMeta('guard', '2.0.0'),
    mandatoryTemplate('foreign', '1.0.0', { metadata: { labels: { [`${op}/managed-by`]: 'somebody' } } }),
    installed('a', 'one', 'Ready'),
    installed('b', 'two', 'Error'),
    installed('c', 'three', 'Ready', { [`${op}/managed-by`]: 'somebody' }),
    installed('d', 'four', 'Ready', { [`${op}/mandatory-module`]: null }),
  ])
  const of = (kymaName: string, now: string) =>
    ['Processing', 'Deleting', 'Ready', 'Error', 'Warning'].map(
      state =>
        `lifecycle_mgr_mandatory_module_state{kyma_name="${kymaName}",module_name="warden",state="${state}"} ${state === now ? 1 : 0}`,
    )
  t.strictSame(
    (await shownBy(cluster)).filter(line => line.includes('mandatory')),
    ['lifecycle_mgr_mandatory_modules 2', ...of('one', 'Ready'), ...of('two', 'Error')],
  )
})

t.test('KY-45 a metric tells whether the maintenance windows can be read', async t => {
  const line = (value: number) => `lifecycle_mgr_maintenance_window_config_read_success ${value}`
  const shown = async () => (await shownBy(new MemoryCluster())).filter(line => line.includes('window'))
  t.strictSame(await shown(), [line(0)])
  writeFileSync(windowPolicyFile, '{}')
  t.strictSame(await shown(), [line(1)])
  writeFileSync(windowPolicyFile, '{')
  t.strictSame(await shown(), [line(0)])
})

t.test('KY-66 while the cluster does not answer, the metrics have no values', async t => {
  const cluster = new MemoryCluster([known('one', 'Ready')])
  cluster.trouble = new Error('away')
  t.strictSame(await shownBy(cluster), ['lifecycle_mgr_maintenance_window_config_read_success 0'], 'of a file alone')
})

t.test('KY-321 functions that share a metric count under one name', async t => {
  const cluster = new MemoryCluster([kyma({ metadata: { uid: 'uid' } })])
  const context = hostContext(landscape, { clusters: cluster.clusters, settingsOf })
  const host = testHost({ functions: [kymaFunction, manifest], landscape, context }, cluster)
  const payload = { namespace: 'kcp-system', name: 'default-id' }
  await host.functions.inject({ method: 'POST', url: '/functions/kyma', headers: { authorization }, payload })
  const { body } = await host.functions.inject('/metrics')
  const line =
    'lifecycle_mgr_requeue_reason_total{requeue_reason="labels_and_finalizers_update",requeue_type="intended"} 1'
  t.ok(body.split('\n').includes(line), body)
})
