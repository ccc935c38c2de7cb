// The limits of a rendering as a host is given them, and that its renderers keep to them.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { hostSettings, renderersOf } from '../../shared/http/settings/host-settings.ts'
import { matches, rejects } from '../harness/matches.ts'
import { renderWork } from '../make/component/render-work.ts'

/** A renderer that does to itself what a test asks for. */
const program = join(import.meta.dirname, '..', 'shared', 'runtime', 'renderer', 'hostile-program.ts')

const settingsWith = (environment: Record<string, string> = {}) => {
  const reading = settingsFrom(hostSettings, { program: 'host', flags: [], environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

const attacked = (t: Test, environment: Record<string, string>, attack: string) => {
  const renderers = renderersOf(settingsWith(environment), program)
  t.teardown(() => renderers.stop())
  return renderers.render(renderWork({ attack }), { tenant: 'shop', id: 'shop/cart' })
}

t.test('RE-26 a rendering may take 30 s and 384 MB when nothing else is set', async t => {
  matches(t, settingsWith(), { renderSeconds: 30, renderMegabytes: 384 })
})

t.test('RE-26 a rendering ends after the seconds that are set', async t => {
  const rendering = attacked(t, { ESPALIER_RENDER_SECONDS: '1' }, 'endless')
  await rejects(t, rendering, { name: 'RenderError', message: /rendering took longer than 1 s/ })
})

t.test(
  'RE-90 a rendering that waits for a core, and computes for less than the seconds that are set, ends well',
  async t => {
    t.strictSame(await attacked(t, { ESPALIER_RENDER_SECONDS: '1' }, 'a wait for a core'), { objects: [] })
  },
)

t.test(
  'RE-26 a rendering ends beyond the megabytes that are set, three quarters of which are for its heap',
  async t => {
    const environment = { ESPALIER_RENDER_MEGABYTES: '128' }
    matches(t, await attacked(t, environment, 'a look at its limits'), {
      objects: [['--max-old-space-size=96', '--max-semi-space-size=8']],
    })
    const rendering = attacked(t, environment, 'small objects')
    await rejects(t, rendering, { name: 'RenderError', message: /rendering needed more than 128 MB$/ })
  },
)
