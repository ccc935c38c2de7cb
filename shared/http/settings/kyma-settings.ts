// Host settings for Kyma's lifecycle. Requeue times have the names of the Go operator's documentation; other names start with ESPALIER.
import {
  defaultInstallation,
  type KymaInstallation,
  type RequeueSeconds,
  usualAgentLimits,
} from '../../api/installation.ts'
import { type Setting, type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import {
  hostAndPort,
  namespaceName,
  oneOfShape,
  optional,
  positiveQuantity,
  textShape,
  upToADay,
} from '../../core/settings/shapes.ts'
import { certificateInstallationOf, certificateSettings } from './certificate-settings.ts'
import { moduleInstallationOf, moduleSettings } from './module-settings.ts'
import { purgeSettings, purgeSettingsOf } from './purge-settings.ts'

const kymaAgentSettings = settingsTable({
  kymaWatcher: {
    sentence: 'Whether runtimes get an agent that tells what changes there; it needs an image and an event address',
    shape: oneOfShape('on', 'off'),
    default: 'on',
  },
  kymaAgentImage: {
    sentence: 'The image of the agent, which is that of this program; no agent when empty',
    shape: optional(textShape('an image such as registry.example.org/espalier:0.1.0')),
  },
  kymaEventAddress: {
    sentence: 'Where agents reach the control plane; no agent when empty',
    shape: optional(hostAndPort),
  },
  kymaAgentCpu: {
    sentence: 'How much CPU the agent may take',
    shape: positiveQuantity,
    default: usualAgentLimits.cpu,
  },
  kymaAgentMemory: {
    sentence: 'How much memory the agent may take',
    shape: positiveQuantity,
    default: usualAgentLimits.memory,
  },
})

const agentInstallationOf = (settings: SettingsOf<typeof kymaAgentSettings>): Pick<KymaInstallation, 'agent'> => {
  const { kymaWatcher, kymaAgentImage: image, kymaEventAddress: eventAddress } = settings
  const limits = { cpu: settings.kymaAgentCpu, memory: settings.kymaAgentMemory }
  const isWanted = kymaWatcher === 'on' && image !== undefined && eventAddress !== undefined
  return isWanted ? { agent: { image, eventAddress, limits } } : {}
}

const { requeue, eventIngress, gatewayNamespace } = defaultInstallation.kyma

const requeueSetting = (env: string, called: string, seconds: number) =>
  ({
    sentence: `When ${called} is called again`,
    env,
    shape: upToADay,
    default: `${seconds}s`,
  }) as const satisfies Setting

const { kyma, manifest } = requeue

export const kymaSettings = settingsTable({
  ...moduleSettings,
  kymaRequeueReady: requeueSetting('KYMA_REQUEUE_READY', 'a Ready Kyma', kyma.ready),
  kymaRequeueWarning: requeueSetting('KYMA_REQUEUE_WARNING', 'a Kyma in Warning', kyma.warning),
  kymaRequeueBusy: requeueSetting('KYMA_REQUEUE_BUSY', 'a Kyma in Processing or Deleting', kyma.busy),
  kymaRequeueError: requeueSetting('KYMA_REQUEUE_ERROR', 'a Kyma in Error at the latest', kyma.error),
  manifestRequeueReady: requeueSetting('MANIFEST_REQUEUE_READY', 'a Ready Manifest', manifest.ready),
  manifestRequeueWarning: requeueSetting('MANIFEST_REQUEUE_WARNING', 'a Manifest in Warning', manifest.warning),
  manifestRequeueBusy: requeueSetting('MANIFEST_REQUEUE_BUSY', 'a Manifest in Processing or Deleting', manifest.busy),
  manifestRequeueError: requeueSetting('MANIFEST_REQUEUE_ERROR', 'a Manifest in Error at the latest', manifest.error),
  watcherRequeue: requeueSetting('WATCHER_REQUEUE', 'a Watcher', requeue.watcher),
  kymaEventIngress: {
    sentence: 'How events of runtimes get in: through Istio, without it, or (auto) through it where it is installed',
    shape: oneOfShape('auto', 'istio', 'native'),
    default: eventIngress,
  },
  kymaGatewayNamespace: {
    sentence: 'The namespace of the Gateways that Watchers may select',
    shape: namespaceName,
    default: gatewayNamespace,
  },
  kymaPullSecret: {
    sentence: 'The Secret in kcp-system by which runtimes pull images; each gets a copy',
    shape: optional(textShape('the name of a Secret')),
  },
  ...certificateSettings,
  ...purgeSettings,
  ...kymaAgentSettings,
})

type Settings = SettingsOf<typeof kymaSettings>

export const kymaInstallationOf = (settings: Settings): KymaInstallation => ({
  ...agentInstallationOf(settings),
  requeue: {
    kyma: requeueOf(settings, 'kyma'),
    manifest: requeueOf(settings, 'manifest'),
    watcher: settings.watcherRequeue,
  },
  modules: moduleInstallationOf(settings),
  eventIngress: settings.kymaEventIngress,
  gatewayNamespace: settings.kymaGatewayNamespace,
  ...certificateInstallationOf(settings),
  purge: purgeSettingsOf(settings),
  ...(settings.kymaPullSecret !== undefined && { pullSecret: settings.kymaPullSecret }),
})

const requeueOf = (settings: Settings, kind: 'kyma' | 'manifest'): RequeueSeconds => ({
  ready: settings[`${kind}RequeueReady`],
  warning: settings[`${kind}RequeueWarning`],
  busy: settings[`${kind}RequeueBusy`],
  error: settings[`${kind}RequeueError`],
})
