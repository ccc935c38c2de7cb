// Renders in the caller's thread without another process, for tests and tools, which trust their charts.
import { drawFrom } from '../../render/draw.ts'
import { parametersOf, renderOf } from '../../render/order.ts'
import type { Renderer } from '../../runtime/renderer/renderer.ts'

export const rendererHere: Renderer = {
  render: async ({ order, context: { seed, ...context }, parameters }) =>
    renderOf(order.recipe, order.artifact)({ ...context, draw: drawFrom(seed) }, parametersOf(order, parameters)),
}
