// The agent in the runtime, which tells the control plane what changes there. What it consists of is in desired/agent/.
import type { Step, StepResult } from '../../../shared/core/plan.ts'
import { syncNamespace } from '../../../shared/kyma/remote.ts'
import type { Agent } from '../desired/agent/agent.ts'
import { agentObjects } from '../desired/agent/agent-objects.ts'
import { agentHealth } from '../rules/agent-health.ts'
import type { World } from '../world.ts'
import type { Part, PartTelling } from './part.ts'
import { failures, inRuntime, isPossible } from './runtime-steps.ts'

const type = 'SKRWebhook'

export const runtimeAgent: Part = {
  name: 'runtime-agent',
  steps: world => {
    const agent = agentOf(world)
    return agent && isPossible(world) ? inRuntime(world, agentObjects(agent).map(stepFor), { order: 'content' }) : []
  },
  tells: (world, results) => {
    if (world.source.agent === undefined || world.runtime.is === 'off') return {}
    if (world.runtime.is !== 'there') return { condition: { type, status: 'Unknown', otherwise: 'Error' } }
    const [fault] = failures(results)
    return fault === undefined ? running(world, results) : notRunning(`could not sync the agent: ${fault}`)
  },
}

/** undefined: it is switched off, or has no certificate yet. */
const agentOf = ({ kyma, settings, source }: World): Agent | undefined => {
  if (settings.agent === undefined || source.agent?.certificate === undefined) return undefined
  const { certificate, watchers } = source.agent
  return { ...settings.agent, namespace: syncNamespace(kyma), pullSecret: settings.pullSecret, certificate, watchers }
}

const stepFor = (object: ReturnType<typeof agentObjects>[number]): Step => ({
  ...{ do: 'apply', object, force: true },
  ...(object.kind === 'Secret' && { isConfidential: true }),
})

const running = ({ runtime }: World, results: readonly StepResult[]): PartTelling => {
  const deployment = results.find(({ object }) => object?.kind === 'Deployment')?.object
  const health = agentHealth(deployment, runtime.is === 'there' ? (runtime.agentPods ?? []) : [])
  if (health.is === 'broken') return notRunning(`the agent in the runtime does not run: ${health.why}`)
  return { condition: { type, status: health.is === 'ready' ? 'True' : 'False', otherwise: 'Processing' } }
}

const notRunning = (text: string): PartTelling => ({
  condition: { type, status: 'False', otherwise: 'Error' },
  trouble: { text, needs: 'outside' },
})
