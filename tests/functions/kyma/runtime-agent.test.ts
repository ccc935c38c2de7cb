// How kyma keeps the agent in a runtime, and how it judges it.
import t from 'tap'
import { runtimeAgent } from '../../../functions/kyma/parts/runtime-agent.ts'
import { agentHealth } from '../../../functions/kyma/rules/runtime.ts'
import type { World } from '../../../functions/kyma/world.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { watcher } from '../../make/kyma/kyma.ts'
import { controlPlaneCrds, type Given, refused, runtimeWorld } from '../../make/kyma/kyma-runtime.ts'

const now = new Date('2026-11-23T12:00:00Z')
const certificate = { 'ca.crt': 'Y2E=', 'tls.crt': 'Y2VydA==', 'tls.key': 'a2V5' }
const settings = { ...runtimeWorld().settings, agentImage: 'espalier', eventAddress: 'listener.example:443' }
const source = { crds: controlPlaneCrds, agent: { watchers: [watcher()], certificate } }

const world = (given: Given = {}): World => runtimeWorld({ settings, source, ...given })

/** What the part says when the steps were performed, and the Deployment has this status. */
const told = (given: Given = {}, status: object = {}) => {
  const some = world(given)
  return runtimeAgent.reports(some, resultsOf(some, status), now)
}

const resultsOf = (some: World, status: object): StepResult[] =>
  runtimeAgent
    .steps(some, now)
    .map(step => ({ step, changed: false, ...('object' in step && { object: { ...step.object, status } }) }))

const condition = (status: string, otherwise: string) => ({ condition: { type: 'SKRWebhook', status, otherwise } })

t.test('KY-146 each object of the agent is applied in the runtime, its Secret without being quoted', async t => {
  const steps = runtimeAgent.steps(world(), now)
  t.equal(steps.length, 13)
  for (const step of steps) {
    matches(t, step, {
      do: 'apply',
      force: true,
      on: 'runtimes/default-id',
      fieldManager: 'kyma-sync-context',
      order: 1,
    })
    const { kind = '' } = 'object' in step ? step.object : {}
    t.equal(step.isConfidential === true, kind === 'Secret', kind)
  }
})

t.test('KY-326 the agent gets the limits that were chosen, or those of the Go operator', async t => {
  const limitsOf = (given: Given) =>
    runtimeAgent.steps(world(given), now).flatMap(step => {
      const { kind, spec } = ('object' in step ? step.object : {}) as { kind?: string; spec?: DeploymentSpec }
      return kind === 'Deployment' ? spec?.template.spec.containers.map(({ resources }) => resources.limits) : []
    })
  t.strictSame(limitsOf({}), [{ cpu: '100m', memory: '200Mi' }])
  const limits = { cpu: '1', memory: '1Gi' }
  t.strictSame(limitsOf({ settings: { ...settings, agentCpu: '1', agentMemory: '1Gi' } }), [limits])
})

type DeploymentSpec = { template: { spec: { containers: { resources: { limits: unknown } }[] } } }

t.test('KY-198 without the agent, or in its own cluster, a Kyma has no condition of it', async t => {
  const off: Given[] = [{ settings: runtimeWorld().settings, source: { crds: controlPlaneCrds } }]
  for (const given of off) {
    t.strictSame(runtimeAgent.steps(world(given), now), [])
    t.strictSame(told(given), {})
  }
  const here = { ...world(), runtime: { is: 'off' } } as World
  t.strictSame(runtimeAgent.steps(here, now), [])
  t.strictSame(runtimeAgent.reports(here, [], now), {})
})

t.test(
  'KY-146 the agent is judged: ready, starting, broken, refused, without certificate, in a runtime that is away',
  async t => {
    const pods = [pod({ waiting: { reason: 'CrashLoopBackOff' } })]
    t.strictSame(told({}, { readyReplicas: 1 }), condition('True', 'Processing'))
    t.strictSame(told({}, {}), condition('False', 'Processing'))
    t.strictSame(told({ runtime: { agentPods: pods } }, {}), {
      ...condition('False', 'Error'),
      trouble: { text: 'the agent in the runtime does not run: Pod skr-webhook-x: CrashLoopBackOff', needs: 'outside' },
    })
    t.strictSame(told({ source: { ...source, agent: { watchers: [] } } }), condition('False', 'Processing'))
    t.strictSame(runtimeAgent.steps(world({ source: { ...source, agent: { watchers: [] } } }), now), [])
    const away = { ...world(), runtime: { is: 'away', fault: 'it is away' } } as World
    t.strictSame(runtimeAgent.reports(away, [], now), condition('Unknown', 'Error'))
    const [step] = runtimeAgent.steps(world(), now)
    if (step === undefined) throw new Error('no step')
    t.strictSame(runtimeAgent.reports(world(), [refused(step, 'no quota')], now), {
      ...condition('False', 'Error'),
      trouble: { text: 'could not sync the agent: PriorityClass skr-webhook-priority: no quota', needs: 'outside' },
    })
  },
)

t.test('KY-224 without Watchers the agent is made all the same, and the Kyma can be Ready', async t => {
  const given = { source: { ...source, agent: { watchers: [], certificate } } }
  t.equal(runtimeAgent.steps(world(given), now).length, 13)
  t.strictSame(told(given, { readyReplicas: 1 }), condition('True', 'Processing'))
})

const pod = (state: object, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'skr-webhook-x', namespace: 'kyma-system' },
  status: { containerStatuses: [{ name: 'watcher', state }], ...more },
})

t.test('KY-203 where the agent is another Kyma’s, it is left to that', async t => {
  const given = { runtime: { agentElsewhere: 'rt-7' } }
  t.strictSame(runtimeAgent.steps(world(given), now), [])
  matches(t, told(given), {
    ...condition('False', 'Error'),
    trouble: {
      text: 'could not sync the agent: the runtime already has an agent, which belongs to the Kyma in its namespace rt-7',
    },
  })
})

t.test('KY-149 a Kyma whose agent can have no certificate is in Error and says why', async t => {
  const given = { source: { ...source, agent: { watchers: [], fault: 'the Kyma has no annotation skr-domain' } } }
  matches(t, told(given), {
    ...condition('False', 'Error'),
    trouble: { text: 'could not sync the agent: the Kyma has no annotation skr-domain' },
  })
})

t.test('KY-146 of Pods only those are broken that crash or cannot get their image', async t => {
  const cases: [string, KubeObject, object][] = [
    ['creating', pod({ waiting: { reason: 'ContainerCreating' } }), { is: 'starting' }],
    ['running', pod({ running: {} }), { is: 'starting' }],
    ['no status', pod({}, { containerStatuses: undefined }), { is: 'starting' }],
    [
      'no image',
      pod({ waiting: { reason: 'ImagePullBackOff' } }),
      { is: 'broken', why: 'Pod skr-webhook-x: ImagePullBackOff' },
    ],
    [
      'first try of the image',
      pod({ waiting: { reason: 'ErrImagePull' } }),
      { is: 'broken', why: 'Pod skr-webhook-x: ErrImagePull' },
    ],
  ]
  for (const [name, one, expected] of cases) t.strictSame(agentHealth(undefined, [one]), expected, name)
  const deployment = { ...pod({}), status: { readyReplicas: 1 } }
  const crashing = pod({ waiting: { reason: 'CrashLoopBackOff' } })
  t.strictSame(agentHealth(deployment, [crashing]), { is: 'ready' }, 'one replica suffices')
})
