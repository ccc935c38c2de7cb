// Settings of the functions that reach the virtual garden.
import { settingsTable } from './setting.ts'
import { optional, textShape } from './shapes.ts'

export const virtualGardenSettings = settingsTable({
  /** TLS still checks the name in the kubeconfig. */
  virtualGardenAddress: {
    sentence: 'Address of the virtual garden, used instead of the address in its kubeconfigs',
    shape: optional(textShape('host:port')),
  },
})
