// Settings of the host for the agent that tells the control plane what changes in a runtime.
import type { KymaInstallation } from '../../api/installation.ts'
import type { Setting, SettingsOf } from './config.ts'
import { hostAndPort, oneOfShape, optional, textShape } from './shapes.ts'

export const kymaAgentSettings = {
  kymaWatcher: {
    sentence: 'Whether runtimes get an agent that tells what changes there; it needs an image and an event address',
    env: 'ESPALIER_KYMA_WATCHER',
    flag: 'kyma-watcher',
    shape: oneOfShape('on', 'off'),
    default: 'on',
  },
  kymaAgentImage: {
    sentence: 'The image of the agent, which is that of this program; no agent when empty',
    env: 'ESPALIER_KYMA_AGENT_IMAGE',
    flag: 'kyma-agent-image',
    shape: optional(textShape('an image such as registry.example.org/espalier:0.1.0')),
    default: '',
  },
  kymaEventAddress: {
    sentence: 'Where agents reach the control plane; no agent when empty',
    env: 'ESPALIER_KYMA_EVENT_ADDRESS',
    flag: 'kyma-event-address',
    shape: optional(hostAndPort),
    default: '',
  },
} as const satisfies Record<string, Setting>

/** Empty: runtimes get no agent. */
export const agentInstallationOf = (
  settings: SettingsOf<typeof kymaAgentSettings>,
): Pick<KymaInstallation, 'agent'> => {
  const { kymaWatcher, kymaAgentImage: image, kymaEventAddress: eventAddress } = settings
  const isWanted = kymaWatcher === 'on' && image !== undefined && eventAddress !== undefined
  return isWanted ? { agent: { image, eventAddress } } : {}
}
