// Orders carried out where they are given, in the caller's own thread: for tests and tools, whose charts are their own.
import { drawFrom } from '../../render/draw.ts'
import { parametersOf, renderOf } from '../../render/order.ts'
import type { Renderer } from './renderer.ts'

export const rendererHere: Renderer = {
  render: async ({ order, context: { seed, ...context }, parameters }) =>
    renderOf(order.recipe, order.artifact?.packed)(
      { ...context, draw: drawFrom(seed) },
      parametersOf(order, parameters),
    ),
}
