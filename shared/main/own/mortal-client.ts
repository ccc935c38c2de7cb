// The client of a process that dies during its work. The last write is done, but the process gets no answer and sends no further request.
import { type ObjectRef, refOf, refText } from '../../core/objects/object.ts'
import type { Client, NamesQuery } from '../../kube/client-types.ts'
import { isForbidden } from '../../kube/errors.ts'

export type Life = {
  /** The process dies after this write, given as a number or as text. Infinity: the process does not die. */
  readonly last: number | string
  /** Example: `apply Deployment default/shop`. Events do not count, because they are only for users. */
  readonly writes: string[]
  /** Requests that the API server forbade. */
  readonly refused: string[]
  /** The previous write, for which the next write waits. */
  turn: Promise<unknown>
}

export const newLife = (last: number | string): Life => ({ last, writes: [], refused: [], turn: Promise.resolve() })

export const hasDied = ({ writes, last }: Life): boolean =>
  typeof last === 'string' ? writes.includes(last) : writes.length >= last

export const mortalClient = (client: Client, life: Life): Client => {
  const refuseIfDead = (): void => {
    if (hasDied(life)) throw new Error('the process is dead')
  }
  const noted =
    (what: string) =>
    (error: unknown): never => {
      if (isForbidden(error)) life.refused.push(what)
      throw error
    }
  const asked = async <Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> => {
    refuseIfDead()
    const answer = await request().catch(noted(what))
    refuseIfDead()
    return answer
  }
  const askedForEach = async function* <Answer>(what: string, request: () => AsyncIterable<Answer>) {
    refuseIfDead()
    try {
      for await (const answer of request()) {
        refuseIfDead()
        yield answer
        refuseIfDead()
      }
    } catch (error) {
      noted(what)(error)
    }
  }
  /** Writes are made one after the other, so none follows the last write. A failed write does not count. */
  const counted = <Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> => {
    const noticed = async (): Promise<Answer> => {
      const answer = await request()
      life.writes.push(what)
      return answer
    }
    const done = life.turn.then(() => asked(what, noticed))
    life.turn = done.catch(() => undefined)
    return done
  }
  const write = <Answer>(
    { verb, ref, dryRun, subresource }: Write,
    request: () => Promise<Answer>,
  ): Promise<Answer> => {
    const what = `${verb} ${subresource ? `${subresource} of ` : ''}${refText(ref)}`
    return dryRun || ref.kind === 'Event' ? asked(what, request) : counted(what, request)
  }
  return {
    ...client,
    bound: call => mortalClient(client.bound(call), life),
    get: (ref, options) => asked(`get ${refText(ref)}`, () => client.get(ref, options)),
    list: query => asked(kindText('list', query), () => client.list(query)),
    pages: query => askedForEach(kindText('list', query), () => client.pages(query)),
    names: query => askedForEach(kindText('list', query), () => client.names(query)),
    watch: query => askedForEach(kindText('watch', query), () => client.watch(query)),
    scopeOf: kind => asked(kindText('discover', kind), () => client.scopeOf(kind)),
    raw: request => {
      const isRead = ['GET', 'HEAD'].includes(request.method)
      return (isRead ? asked : counted)(`${request.method} ${request.path}`, () => client.raw(request))
    },
    create: (object, how) => write({ verb: 'create', ref: refOf(object), ...how }, () => client.create(object, how)),
    apply: (object, how) => write({ verb: 'apply', ref: refOf(object), ...how }, () => client.apply(object, how)),
    replace: (object, how) => write({ verb: 'update', ref: refOf(object), ...how }, () => client.replace(object, how)),
    patch: (ref, patch, how) => write({ verb: 'patch', ref, ...how }, () => client.patch(ref, patch, how)),
    delete: (ref, how) => write({ verb: 'delete', ref, ...how }, () => client.delete(ref, how)),
  }
}

const kindText = (verb: string, { kind, namespace = '' }: NamesQuery): string =>
  `${verb} ${kind} ${namespace}`.trimEnd()

type Write = {
  readonly verb: string
  readonly ref: ObjectRef
  readonly dryRun?: boolean
  readonly subresource?: string
}
