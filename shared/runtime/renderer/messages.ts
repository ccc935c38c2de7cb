// Messages between host and renderers. Files are sent only on demand: a request first contains only their key, and a renderer without these
// files answers `unknown`. Objects are returned as JSON, which the host parses fastest. The JSON is in pieces, so that the host's main
// thread serves other requests in between.
import { setImmediate as others } from 'node:timers/promises'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Lookup, RenderError, type Rendering } from '../../render/generator.ts'
import type { Artifact, Order } from '../../render/order.ts'
import type { RenderWork } from './renderer.ts'

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
