// The agent in the runtime, which reports changes in the runtime to the control plane. desired/agent-objects.ts has its objects.
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { faultTexts } from '../../../shared/core/decisions/steps.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { wantedAgent } from '../../../shared/kyma/settings.ts'
import type { Agent } from '../desired/agent.ts'
import { agentObjects } from '../desired/agent-objects.ts'
import { agentTaken } from '../reasons.ts'
import { agentHealth } from '../rules/runtime.ts'
import { runtimePart, type WorldWithRuntime } from './part.ts'

export const runtimeAgent = runtimePart({
  name: 'runtime-agent',
  condition: 'SKRWebhook',
  order: 'content',
  isWanted: ({ settings }) => wantedAgent(settings) !== undefined,
  steps: world => {
    const agent = agentOf(world)
    return agent ? agentObjects(agent).map(stepFor) : []
  },
  trouble: (world, results) => {
    const fault = faultTexts(results)[0] ?? world.source.agent?.fault ?? takenBy(world)
    if (fault !== undefined) return `could not sync the agent: ${fault}`
    const health = healthOf(world, results)
    return health.is === 'broken' ? `the agent in the runtime does not run: ${health.why}` : undefined
  },
  status: (world, results) => (healthOf(world, results).is === 'ready' ? 'True' : 'False'),
})

const takenBy = ({ runtime }: WorldWithRuntime): string | undefined =>
  runtime.agentElsewhere === undefined ? undefined : agentTaken(runtime.agentElsewhere)

/** undefined: the agent is switched off, has no certificate yet, or belongs to another Kyma. */
const agentOf = ({ kyma, settings, source, runtime }: WorldWithRuntime): Agent | undefined => {
  const wanted = wantedAgent(settings)
  if (wanted === undefined || source.agent?.certificate === undefined) return undefined
  if (runtime.agentElsewhere !== undefined) return undefined
  const { certificate, watchers } = source.agent
  const { pullSecret, agentCpu: cpu, agentMemory: memory } = settings
  const limits = { cpu, memory }
  return { ...wanted, limits, namespace: syncNamespace(kyma), pullSecret, certificate, watchers }
}

const stepFor = (object: ReturnType<typeof agentObjects>[number]): Step => ({
  do: 'apply',
  object,
  force: true,
  ...(object.kind === 'Secret' && { isConfidential: true }),
})

const healthOf = ({ runtime }: WorldWithRuntime, results: readonly StepResult[]) => {
  const deployment = results.find(({ object }) => object?.kind === 'Deployment')?.object
  return agentHealth(deployment, runtime.agentPods ?? [])
}
