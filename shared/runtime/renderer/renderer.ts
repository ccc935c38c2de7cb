// The engine's interface to renderers, and the messages between host and renderer processes (renderers.ts). Files are sent only on demand: a
// request first contains only their key, and a renderer without these files answers `unknown`. Objects are returned as JSON in pieces, so
// that the host's main thread serves other requests in between.
import { setImmediate as others } from 'node:timers/promises'
import type { JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Seed } from '../../render/draw.ts'
import { type Lookup, type RenderContext, RenderError, type Rendering } from '../../render/generator.ts'
import type { Artifact, Order, Packed } from '../../render/order.ts'

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

export type Request = Omit<RenderWork, 'order'> & {
  readonly order: Omit<Order, 'artifact'> & { readonly artifact?: Pick<Artifact, 'key'> & Partial<Artifact> }
  /** The renderer ends itself after this time, in case the host that would kill it is gone. */
  readonly secondsMost: number
}

export type Answer =
  /** Each text is a JSON list with some of the objects. */
  | { readonly is: 'objects'; readonly texts: readonly string[] }
  | { readonly is: 'needs'; readonly needs: readonly Lookup[] }
  | ({ readonly is: 'refused'; readonly message: string } & Pick<RenderError, 'blame' | 'quotesNoValues'>)
  | { readonly is: 'broken'; readonly message: string; readonly stack: string }
  | { readonly is: 'unknown' }

/** `at`: the current file. `bytes`: memory of the renderer after its work. */
export type RendererMessage =
  | { readonly isUp: true }
  | { readonly at: string }
  | { readonly answer: Answer; readonly bytes: number }

type Sending = Pick<Request, 'secondsMost'> & { readonly withFiles: boolean }

export const requestOf = ({ order, ...work }: RenderWork, { secondsMost, withFiles }: Sending): Request => {
  const { artifact, ...rest } = order
  const sent = withFiles || !artifact ? artifact : { key: artifact.key }
  return { ...work, order: { ...rest, ...(sent && { artifact: sent }) }, secondsMost }
}

/** Rejects with the error in the answer. */
export const renderingIn = async (answer: Answer): Promise<Rendering> => {
  switch (answer.is) {
    case 'objects':
      return { objects: await objectsIn(answer.texts) }
    case 'needs':
      return { needs: answer.needs }
    case 'refused':
      throw new RenderError(answer.message, answer)
    case 'broken':
      throw Object.assign(new Error(answer.message), { stack: answer.stack })
    case 'unknown':
      throw new Error('the renderer does not know the files that it was sent')
  }
}

const objectsIn = async ([first = '[]', ...more]: readonly string[]): Promise<readonly KubeObject[]> => {
  const lists: (readonly KubeObject[])[] = [JSON.parse(first)]
  for (const text of more) {
    await others()
    lists.push(JSON.parse(text))
  }
  return lists.flat()
}

/** `memory`: identity of the memory, equal for artifacts that share it. */
export type PackedSize = { readonly bytes: number; readonly memory: object }

export const packedSize = (packed: Packed): PackedSize => {
  if ('archive' in packed) return { bytes: packed.archive.length, memory: packed.archive }
  if ('configMap' in packed) return { bytes: contentLength(packed.configMap), memory: packed.configMap }
  return { bytes: [...packed.files.values()].reduce((sum, { length }) => sum + length, 0), memory: packed.files }
}

const contentLength = ({ data, binaryData }: KubeObject): number => JSON.stringify([data, binaryData]).length

/** The sum of all sizes. Shared bytes count once. */
export const bytesTogether = (sizes: readonly PackedSize[]): number =>
  [...new Map(sizes.map(({ memory, bytes }) => [memory, bytes])).values()].reduce((sum, bytes) => sum + bytes, 0)
