// Settings of the renderers of a host, and the renderers as functions get them.
import { startRenderer } from '../../runtime/renderer/process.ts'
import { Renderers } from '../../runtime/renderer/renderers.ts'
import { type SettingsOf, settingsTable } from './config.ts'
import { seconds, whole } from './shapes.ts'

export const renderSettings = settingsTable({
  renderSeconds: {
    sentence: 'How many seconds of CPU time one rendering of a chart or kustomization may take',
    shape: seconds(1, 600),
    default: '30',
  },
  renderMegabytes: {
    sentence: 'How much memory it may take in a process of its own; this host has two such processes at most',
    shape: whole('MB', 128, 16_384),
    default: '384',
  },
})

/** A renderer starts when there is something to render. `program`: the module that it runs. */
export const renderersOf = (settings: SettingsOf<typeof renderSettings>, program: string): Renderers => {
  const limits = { seconds: settings.renderSeconds, megabytes: settings.renderMegabytes }
  const bytesMost = limits.megabytes * 2 ** 20
  return new Renderers({ start: () => startRenderer({ path: program, bytesMost }), limits })
}
