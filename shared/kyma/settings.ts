// Settings that several functions of Kyma's lifecycle use. Each function declares the settings that it uses.
import { type FunctionSetting, type SettingsOf, settingsTable } from '../core/settings/setting.ts'
import { durationBetween, hostAndPort, oneOfShape, optional, textShape, upToADay } from '../core/settings/shapes.ts'

export const sharedSettings = settingsTable(
  {
    registry: {
      sentence: 'Registry with the descriptors and layers of modules',
      shape: optional(textShape('host:port, with a path if the modules lie below one')),
    },
    registrySecret: {
      sentence: 'Secret in kcp-system, of type kubernetes.io/dockerconfigjson, with the credentials of --kyma-registry',
      shape: optional(textShape('the name of a Secret')),
    },
    signature: {
      sentence: 'Signature that descriptors of modules need if their ModuleTemplate specifies none',
      shape: optional(textShape('the name of a signature')),
    },
    pullSecret: {
      sentence: 'Secret in kcp-system with which runtimes pull images; each runtime gets a copy',
      shape: optional(textShape('the name of a Secret')),
    },
    certificates: {
      sentence:
        'Issuer of the certificates of runtimes and of their listener: an operator, Espalier itself, or (auto) the operator that is installed',
      shape: oneOfShape('auto', 'cert-manager', 'gardener', 'builtin'),
      default: 'auto',
    },
    watcher: {
      sentence: 'Whether runtimes get an agent that reports changes; needs --kyma-agent-image and --kyma-event-address',
      shape: oneOfShape('on', 'off'),
      default: 'on',
    },
    agentImage: {
      sentence: 'Image of the agent, the same as the image of this program; empty: no agent',
      shape: optional(textShape('an image such as registry.example.org/espalier:0.1.0')),
    },
    eventAddress: {
      sentence: 'Address at which agents reach the control plane; empty: no agent',
      shape: optional(hostAndPort),
    },
  },
  'kyma',
)

type SharedSettings = SettingsOf<typeof sharedSettings>

export type RegistrySettings = Pick<SharedSettings, 'registry' | 'registrySecret' | 'signature'>
export type AgentSettings = Pick<SharedSettings, 'watcher' | 'agentImage' | 'eventAddress'>

/** The image and `host:port` of the control plane for its events. undefined: runtimes get no agent. */
export const wantedAgent = ({ watcher, agentImage: image, eventAddress }: AgentSettings) =>
  watcher === 'on' && image !== undefined && eventAddress !== undefined ? { image, eventAddress } : undefined

/** A time in the life of certificates. */
export const lifetimeSetting = (sentence: string, usual: string) =>
  ({ sentence, shape: durationBetween('1h', '87600h'), default: usual }) as const satisfies FunctionSetting

export const requeueSetting = (env: string, called: string, usual: string) =>
  ({
    sentence: `Time until the next call for ${called}`,
    env,
    shape: upToADay,
    default: usual,
  }) as const satisfies FunctionSetting

/** Settings by state. The waits after errors grow up to the last wait. */
export const requeueSettings = (kind: 'Kyma' | 'Manifest') => {
  const env = `${kind.toUpperCase()}_REQUEUE`
  return {
    requeueReady: requeueSetting(`${env}_READY`, `a Ready ${kind}`, '300s'),
    requeueWarning: requeueSetting(`${env}_WARNING`, `a ${kind} in Warning`, '30s'),
    requeueBusy: requeueSetting(`${env}_BUSY`, `a ${kind} in Processing or Deleting`, '5s'),
    requeueError: requeueSetting(`${env}_ERROR`, `a ${kind} in Error at the latest`, '30s'),
  }
}

export type RequeueSettings = SettingsOf<ReturnType<typeof requeueSettings>>
