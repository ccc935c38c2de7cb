// Host settings that are passed to functions.
import { defaultInstallation, type Installation } from '../../api/installation.ts'
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { listShape, optional, type Shape, seconds, textShape, whole } from '../../core/settings/shapes.ts'
import { istioInstallationOf, istioSettings } from './istio-settings.ts'
import { kymaInstallationOf, kymaSettings } from './kyma-settings.ts'

/** Semicolons, because label selectors contain commas. */
const selectors: Shape<readonly string[]> = {
  says: 'label selectors, separated by semicolons',
  read: given => ({ value: given.split(';').flatMap(part => part.trim() || []) }),
}

const { garden } = defaultInstallation

const thresholds: Shape<Readonly<Record<string, number>>> = {
  says: `types of conditions (${Object.keys(garden.conditionThresholds).join(', ')}) with seconds such as RuntimeComponentsHealthy=90, separated by commas`,
  read: given => {
    const pairs = given.split(',').flatMap(part => (part.trim() === '' ? [] : [part.trim().split('=')]))
    const isSound = pairs.every(
      ([type = '', most = '', ...rest]) =>
        Object.hasOwn(garden.conditionThresholds, type) && /^\d+$/.test(most) && rest.length === 0,
    )
    return isSound ? { value: Object.fromEntries(pairs.map(([type, most]) => [type, Number(most)])) } : undefined
  },
}

export const installationSettings = settingsTable({
  gardenSyncSeconds: {
    sentence: 'How often a Garden that is up is brought up anew',
    shape: seconds(60, 86_400),
    default: String(garden.syncSeconds),
  },
  gardenCareSeconds: {
    sentence: 'How often a Garden is cared for',
    shape: seconds(15, 3_600),
    default: String(garden.careSeconds),
  },
  gardenRuntimeAuthoritySeconds: {
    sentence: 'How long the authority lives that signs servers of a Garden in its runtime cluster',
    shape: whole('seconds', 36_000, 315_360_000),
    default: String(garden.runtimeAuthoritySeconds),
  },
  gardenConditionThresholds: {
    sentence: 'How long a condition of a Garden that was True may fail before it is False; at once if not named',
    shape: thresholds,
    default: Object.entries(garden.conditionThresholds)
      .map(([type, most]) => `${type}=${most}`)
      .join(),
  },
  gardenFeatureGates: {
    sentence: 'Feature gates of the Garden that are on',
    shape: listShape('names of feature gates'),
    default: garden.featureGates.join(),
  },
  gardenNamespaceSelectors: {
    sentence: "Further namespaces that get all of the Garden's network policies",
    shape: selectors,
    default: garden.namespaceSelectors.join(';'),
  },
  virtualGardenAddress: {
    sentence: 'Where the virtual garden is dialled instead of the address in its kubeconfigs',
    shape: optional(textShape('host:port')),
  },
  backupSidecarAddress: {
    sentence: "Where the backup sidecar of a Garden's main etcd is dialled instead of its Service",
    shape: optional(textShape('host:port')),
  },
  gardenImageOverride: {
    sentence: "A YAML file with images for containers of a Garden that replace Espalier's",
    shape: optional(textShape('a file')),
  },
  ...kymaSettings,
  ...istioSettings,
})

export const installationOf = (settings: SettingsOf<typeof installationSettings>): Installation => ({
  kyma: kymaInstallationOf(settings),
  istio: istioInstallationOf(settings),
  garden: {
    syncSeconds: settings.gardenSyncSeconds,
    careSeconds: settings.gardenCareSeconds,
    runtimeAuthoritySeconds: settings.gardenRuntimeAuthoritySeconds,
    conditionThresholds: settings.gardenConditionThresholds,
    featureGates: settings.gardenFeatureGates,
    namespaceSelectors: settings.gardenNamespaceSelectors,
    images: garden.images,
    ...(settings.virtualGardenAddress !== undefined && { virtualGardenAddress: settings.virtualGardenAddress }),
    ...(settings.backupSidecarAddress !== undefined && { backupSidecarAddress: settings.backupSidecarAddress }),
  },
})
