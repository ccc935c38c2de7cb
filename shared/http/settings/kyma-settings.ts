// Settings of the host for the functions of Kyma's lifecycle. Those for the time until an object is called again have the names that the Go
// operator's documentation gives them; all others begin with ESPALIER.
import { defaultInstallation, type KymaInstallation, type RequeueSeconds } from '../../api/installation.ts'
import type { Setting, SettingsOf } from './config.ts'
import { agentInstallationOf, kymaAgentSettings } from './kyma-agent-settings.ts'
import { moduleInstallationOf, moduleSettings } from './module-settings.ts'
import { purgeSettings, purgeSettingsOf } from './purge-settings.ts'
import { listShape, oneOfShape, optional, textShape, upToADay } from './shapes.ts'

const { requeue, eventIngress, certificates } = defaultInstallation.kyma

const requeueSetting = (env: string, called: string, seconds: number) =>
  ({
    sentence: `When ${called} is called again`,
    env,
    flag: env.toLowerCase().replaceAll('_', '-'),
    shape: upToADay,
    default: `${seconds}s`,
  }) as const satisfies Setting

const { kyma, manifest } = requeue

export const kymaSettings = {
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
    env: 'ESPALIER_KYMA_EVENT_INGRESS',
    flag: 'kyma-event-ingress',
    shape: oneOfShape('auto', 'istio', 'native'),
    default: eventIngress,
  },
  kymaPullSecret: {
    sentence: 'The Secret in kcp-system by which runtimes pull images; each gets a copy',
    env: 'ESPALIER_KYMA_PULL_SECRET',
    flag: 'kyma-pull-secret',
    shape: optional(textShape('the name of a Secret')),
    default: '',
  },
  kymaCertificates: {
    sentence:
      'Who makes the certificates of runtimes and of their listener: an operator, ourselves, or (auto) who is installed',
    env: 'ESPALIER_KYMA_CERTIFICATES',
    flag: 'kyma-certificates',
    shape: oneOfShape('auto', 'cert-manager', 'gardener', 'builtin'),
    default: certificates,
  },
  kymaCertificateNames: {
    sentence: 'Further DNS names in the certificates of runtimes',
    env: 'ESPALIER_KYMA_CERTIFICATE_NAMES',
    flag: 'kyma-certificate-names',
    shape: listShape('DNS names'),
    default: '',
  },
  ...purgeSettings,
  ...kymaAgentSettings,
} as const satisfies Record<string, Setting>

type Settings = SettingsOf<typeof kymaSettings>

/** The settings as functions get them. */
export const kymaInstallationOf = (settings: Settings): KymaInstallation => ({
  ...agentInstallationOf(settings),
  requeue: {
    kyma: requeueOf(settings, 'kyma'),
    manifest: requeueOf(settings, 'manifest'),
    watcher: settings.watcherRequeue,
  },
  modules: moduleInstallationOf(settings),
  eventIngress: settings.kymaEventIngress,
  certificates: settings.kymaCertificates,
  certificateNames: settings.kymaCertificateNames,
  purge: purgeSettingsOf(settings),
  ...(settings.kymaPullSecret !== undefined && { pullSecret: settings.kymaPullSecret }),
})

const requeueOf = (settings: Settings, kind: 'kyma' | 'manifest'): RequeueSeconds => ({
  ready: settings[`${kind}RequeueReady`],
  warning: settings[`${kind}RequeueWarning`],
  busy: settings[`${kind}RequeueBusy`],
  error: settings[`${kind}RequeueError`],
})
