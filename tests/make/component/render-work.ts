// A rendering to be done by somebody else: a chart in a ConfigMap, valid by default.
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { Files } from '../../../shared/render/generator.ts'
import type { RenderWork } from '../../../shared/runtime/renderer/renderer.ts'
import { chart } from './chart.ts'
import { renderContext } from './render-context.ts'

export const renderWork = (parameters: JsonMap = {}, files: Files = chart(), key = 'shop 1'): RenderWork => {
  const { draw: _, ...context } = renderContext()
  return {
    order: { recipe: { is: 'chart' }, artifact: { key, called: 'ConfigMap shop', packed: { files } } },
    context: { ...context, seed: { key: Buffer.from('k'), uid: 'u', revision: 1 } },
    parameters,
  }
}
