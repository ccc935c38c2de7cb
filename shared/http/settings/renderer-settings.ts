// Settings of a host's renderers, and the renderers themselves.

import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { seconds, whole } from '../../core/settings/shapes.ts'
import { startRenderer } from '../../runtime/renderer/process.ts'
import { Renderers } from '../../runtime/renderer/renderers.ts'

export const renderSettings = settingsTable({
  renderSeconds: {
    sentence:
      'CPU time limit for one rendering of a chart or kustomization. Raise it if a large chart fails with this limit',
    shape: seconds(1, 600),
    default: '30',
  },
  renderMegabytes: {
    sentence:
      'Memory limit of a renderer process; a host has at most two renderer processes. Raise it if a large chart fails with this limit',
    shape: whole('MB', 128, 16_384),
    default: '384',
  },
})

/** Renderers start on demand. `program`: the module that they run. */
export const renderersOf = (settings: SettingsOf<typeof renderSettings>, program: string): Renderers => {
  const limits = { seconds: settings.renderSeconds, megabytes: settings.renderMegabytes }
  const bytesMost = limits.megabytes * 2 ** 20
  return new Renderers({ start: () => startRenderer({ path: program, bytesMost }), limits })
}
