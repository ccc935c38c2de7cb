// Answers requests in a renderer process. Parsed charts and templates are cached for the next request.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { shortened } from '../../core/text/text.ts'
import { drawFrom } from '../../render/draw.ts'
import { type At, type Render, RenderError, type Rendering } from '../../render/generator.ts'
import { parametersOf, renderOf } from '../../render/order.ts'
import { type Answer, packedSize, type Request } from './renderer.ts'

/** Parsed artifacts by key and recipe. */
type KeptRenders = BoundedCache<string, { readonly render: Render; readonly bytes: number }>

/** Limit in packed bytes. */
const keptBytesMost = 16 * 2 ** 20

/** Limit for all objects of one rendering, because the host parses all objects in its main thread. */
const charactersMost = 20 * 2 ** 20

/** Limit for one object: API servers accept no larger request. */
const objectCharactersMost = 3 * 2 ** 20

/** The host parses a piece of this size in a few milliseconds. */
const pieceCharacters = 2 ** 18

/** Error messages are cut, because they may quote megabytes. */
const messageMost = 32_768

/** Never throws. `at` gets the current file. */
export const answering = (): ((request: Request, at: At) => Answer) => {
  const kept: KeptRenders = new BoundedCache(keptBytesMost, ({ bytes }) => bytes)
  return (request, at) => {
    try {
      const render = renderFor(request, kept, at)
      return render ? answerOf(rendered(request, render, at)) : { is: 'unknown' }
    } catch (error) {
      return faultOf(error)
    }
  }
}

const renderFor = ({ order: { recipe, artifact } }: Request, kept: KeptRenders, at: At): Render | undefined => {
  if (!artifact) return renderOf(recipe)
  const key = JSON.stringify([artifact.key, recipe])
  const { called = '', packed } = artifact
  const known = kept.get(key)?.render
  if (known || !packed) return known
  const render = renderOf(recipe, { called, packed }, at)
  kept.set(key, { render, bytes: packedSize(packed).bytes })
  return render
}

const rendered = ({ order, context, parameters }: Request, render: Render, at: At): Rendering => {
  const { seed, ...known } = context
  return render({ ...known, draw: drawFrom(seed), at }, parametersOf(order, parameters, at))
}

const answerOf = (rendering: Rendering): Answer => {
  if ('needs' in rendering) return { is: 'needs', needs: rendering.needs }
  const texts = rendering.objects.map(textOf)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length > charactersMost) throw new RenderError(`the rendered objects have more than ${charactersMost} characters`)
  return { is: 'objects', texts: pieces(texts) }
}

const textOf = (object: KubeObject): string => {
  const text = JSON.stringify(object)
  if (text.length <= objectCharactersMost) return text
  const what = `${object.kind} ${object.metadata.name}`
  throw new RenderError(`${what} has more than ${objectCharactersMost} characters, more than API servers accept`, {
    blame: { kind: 'limit' },
  })
}

/** Joins texts to JSON lists. Each list has as many objects as fit into a piece, at least one. */
const pieces = (texts: readonly string[]): string[] => {
  const lists: string[][] = []
  let room = 0
  for (const text of texts) {
    if (text.length > room) {
      lists.push([])
      room = pieceCharacters
    }
    lists.at(-1)?.push(text)
    room -= text.length
  }
  return lists.map(list => `[${list.join()}]`)
}

const faultOf = (error: unknown): Answer => {
  if (error instanceof RenderError) return refusal(error)
  // A RangeError means a stack overflow, or a text longer than JavaScript allows.
  if (error instanceof RangeError) return refusal(new RenderError(tooMuch, { blame: { kind: 'limit' } }))
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  return { is: 'broken', message: shortened(messageMost, message), stack: shortened(messageMost, stack) }
}

const tooMuch = 'rendering exceeds the limit for nesting or text length'

const refusal = ({ message, blame, quotesNoValues }: RenderError): Answer => ({
  is: 'refused',
  blame,
  quotesNoValues,
  message: shortened(messageMost, message),
})
