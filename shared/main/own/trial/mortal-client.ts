// The client of a process that dies in the middle of its work: a write is its last one. The write is done, but nobody hears of it, and no
// further request is sent.
import { type ObjectRef, refOf, refText } from '../../../core/objects/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { isForbidden } from '../../../kube/errors.ts'

export type Life = {
  /** How many writes it has; Infinity: it does not die. */
  readonly writesMost: number
  /** Such as `apply Deployment default/shop`. Events are for people: they do not count. */
  readonly writes: string[]
  /** Requests that the API server forbade. */
  readonly refused: string[]
}

export const newLife = (writesMost: number): Life => ({ writesMost, writes: [], refused: [] })

export const hasDied = ({ writes, writesMost }: Life): boolean => writes.length >= writesMost

export const mortalClient = (client: Client, life: Life): Client => {
  const refuseIfDead = (): void => {
    if (hasDied(life)) throw new Error('the process is dead')
  }
  const asked = async <Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> => {
    refuseIfDead()
    const answer = await request().catch((error: unknown) => {
      if (isForbidden(error)) life.refused.push(what)
      throw error
    })
    refuseIfDead()
    return answer
  }
  const write = <Answer>(
    { verb, ref, dryRun, subresource }: Write,
    request: () => Promise<Answer>,
  ): Promise<Answer> => {
    const what = `${verb} ${subresource ? `${subresource} of ` : ''}${refText(ref)}`
    return asked(what, () => {
      if (!dryRun && ref.kind !== 'Event') life.writes.push(what)
      return request()
    })
  }
  return {
    ...client,
    bound: call => mortalClient(client.bound(call), life),
    get: (ref, options) => asked(`get ${refText(ref)}`, () => client.get(ref, options)),
    list: query => asked(`list ${query.kind} ${query.namespace ?? ''}`.trimEnd(), () => client.list(query)),
    raw: request => asked(`${request.method} ${request.path}`, () => client.raw(request)),
    create: (object, how) => write({ verb: 'create', ref: refOf(object), ...how }, () => client.create(object, how)),
    apply: (object, how) => write({ verb: 'apply', ref: refOf(object), ...how }, () => client.apply(object, how)),
    replace: (object, how) => write({ verb: 'update', ref: refOf(object), ...how }, () => client.replace(object, how)),
    patch: (ref, patch, how) => write({ verb: 'patch', ref, ...how }, () => client.patch(ref, patch, how)),
    delete: (ref, how) => write({ verb: 'delete', ref, ...how }, () => client.delete(ref, how)),
  }
}

type Write = {
  readonly verb: string
  readonly ref: ObjectRef
  readonly dryRun?: boolean
  readonly subresource?: string
}
