// The engine's interface to renderers. A host renders in separate processes (renderers.ts), which can be killed safely; a test may render
// in its own thread.
import type { JsonMap } from '../../core/json/json.ts'
import type { Seed } from '../../render/draw.ts'
import type { RenderContext, Rendering } from '../../render/generator.ts'
import type { Order } from '../../render/order.ts'

export type Renderer = {
  /** Rejects with RenderError for a faulty order, with RendererBusy when other renderings come first. */
  render(work: RenderWork, turn: Turn): Promise<Rendering>
}

/** A rendering as data without functions, so that it can be sent to another process. */
export type RenderWork = {
  readonly order: Order
  readonly parameters: JsonMap
  readonly context: ContextData
}

/** The renderer derives `draw` from `seed`. */
export type ContextData = Omit<RenderContext, 'draw' | 'at'> & { readonly seed: Seed }

/** The Component of a rendering. Namespaces take turns. */
export type Turn = {
  /** The namespace, such as `shop`. */
  readonly tenant: string
  /** The Component, such as `shop/cart`. */
  readonly id: string
  readonly signal?: AbortSignal
}

/** Other renderings come first. The same order can be rendered after `seconds`. */
export class RendererBusy extends Error {
  override readonly name = 'RendererBusy'
  readonly seconds: number

  constructor(seconds: number) {
    super('other renderings use all renderer processes')
    this.seconds = seconds
  }
}
