// Settings of garden-network-policy.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import type { Shape } from '../../shared/core/settings/shapes.ts'

/** Separated by semicolons, because label selectors contain commas. */
const selectors: Shape<readonly string[]> = {
  says: 'label selectors, separated by semicolons',
  read: given => ({ value: given.split(';').flatMap(part => part.trim() || []) }),
}

export const gardenNetworkPolicySettings = settingsTable(
  {
    namespaceSelectors: {
      sentence: 'Additional namespaces that get all network policies of the Garden',
      shape: selectors,
    },
  },
  'garden',
)

export type GardenNetworkPolicySettings = SettingsOf<typeof gardenNetworkPolicySettings>
