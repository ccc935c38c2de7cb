// Settings of garden-care.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { type Shape, seconds } from '../../shared/core/settings/shapes.ts'
import { virtualGardenSettings } from '../../shared/core/settings/virtual-garden.ts'

const usualThresholds = {
  VirtualGardenAPIServerAvailable: 60,
  RuntimeComponentsHealthy: 60,
  VirtualComponentsHealthy: 60,
  ObservabilityComponentsHealthy: 60,
}

const thresholds: Shape<Readonly<Record<string, number>>> = {
  says: `types of conditions (${Object.keys(usualThresholds).join(', ')}) with seconds such as RuntimeComponentsHealthy=90, separated by commas`,
  read: given => {
    const pairs = given.split(',').flatMap(part => (part.trim() === '' ? [] : [part.trim().split('=')]))
    const isSound = pairs.every(
      ([type = '', most = '', ...rest]) =>
        Object.hasOwn(usualThresholds, type) && /^\d+$/.test(most) && rest.length === 0,
    )
    return isSound ? { value: Object.fromEntries(pairs.map(([type, most]) => [type, Number(most)])) } : undefined
  },
}

export const gardenCareSettings = {
  ...settingsTable(
    {
      careSeconds: {
        sentence: 'Time between two health checks of a Garden',
        shape: seconds(15, 3_600),
        default: '60',
      },
      conditionThresholds: {
        sentence: 'Time for which a True condition of a Garden may fail before it becomes False; not listed: no delay',
        shape: thresholds,
        default: Object.entries(usualThresholds)
          .map(([type, most]) => `${type}=${most}`)
          .join(),
      },
    },
    'garden',
  ),
  ...virtualGardenSettings,
}

export type GardenCareSettings = SettingsOf<typeof gardenCareSettings>
