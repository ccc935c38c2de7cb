// The interface by which the engine renders. A host renders in processes of its own (renderers.ts), which can be killed without harm to
// anything else; a test may render in its own thread.
import type { JsonMap } from '../../core/json/json.ts'
import type { Seed } from '../../render/draw.ts'
import type { RenderContext, Rendering } from '../../render/generator.ts'
import type { Order } from '../../render/order.ts'

export type Renderer = {
  /** Rejects with RenderError when the order is at fault, with RendererBusy when others come first. */
  render(work: RenderWork, turn: Turn): Promise<Rendering>
}

/** A rendering as data, without functions, so that it can be sent to another process. */
export type RenderWork = {
  readonly order: Order
  readonly parameters: JsonMap
  readonly context: ContextData
}

/** `seed`: the renderer makes `draw` from it. */
export type ContextData = Omit<RenderContext, 'draw' | 'at'> & { readonly seed: Seed }

/** For whom it is rendered: places go round the namespaces. */
export type Turn = {
  /** The namespace `shop`, whose Components share its turns. */
  readonly tenant: string
  /** The Component `shop/cart`. */
  readonly id: string
  readonly signal?: AbortSignal
}

/** Others come first: the order is not at fault, and may be tried again after `seconds`. */
export class RendererBusy extends Error {
  override readonly name = 'RendererBusy'
  readonly seconds: number

  constructor(seconds: number) {
    super('renderings of others come first')
    this.seconds = seconds
  }
}
