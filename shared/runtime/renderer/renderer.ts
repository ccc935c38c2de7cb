// Who carries out orders: what the engine asks for, whoever does it. A host has it done by processes of its own
// (renderers.ts), which may be killed without harm to anything else; a test may have it done where it is (here.ts).
import type { JsonMap } from '../../core/json.ts'
import type { Seed } from '../../render/draw.ts'
import type { RenderContext, Rendering } from '../../render/generator.ts'
import type { Order } from '../../render/order.ts'

export type Renderer = {
  /** Rejects with RenderError for what is the order's own fault, with RendererBusy when others come first. */
  render(work: RenderWork, turn: Turn): Promise<Rendering>
}

/** A rendering that another process can do: no part of it is code. */
export type RenderWork = {
  readonly order: Order
  readonly parameters: JsonMap
  readonly context: ContextData
}

/** `seed`: what `draw` draws from. */
export type ContextData = Omit<RenderContext, 'draw' | 'at'> & { readonly seed: Seed }

/** Whose rendering it is, by which turns are shared out fairly. */
export type Turn = {
  /** `shop`, a namespace: whoever shares it shares what it may use. */
  readonly tenant: string
  /** `shop/cart`. */
  readonly id: string
  readonly signal?: AbortSignal
}

/** The order is not at fault: others come first, and it is to be tried again after so long. */
export class RendererBusy extends Error {
  override readonly name = 'RendererBusy'
  readonly seconds: number

  constructor(seconds: number) {
    super('renderings of others come first')
    this.seconds = seconds
  }
}
