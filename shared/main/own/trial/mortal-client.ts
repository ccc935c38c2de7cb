// The client of a process that dies in the middle of its work: a write is its last one. The write is done, but nobody hears of it, and no
// further request is sent.
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../core/objects/object.ts'
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
    try {
      return await request()
    } catch (error) {
      if (isForbidden(error)) life.refused.push(what)
      throw error
    }
  }
  const read = async <Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> => {
    refuseIfDead()
    const answer = await asked(what, request)
    refuseIfDead()
    return answer
  }
  const write = <Answer>({ verb, ref, dryRun }: Written, request: () => Promise<Answer>): Promise<Answer> => {
    const what = `${verb} ${refText(ref)}`
    return read(what, () => {
      if (!dryRun && ref.kind !== 'Event') life.writes.push(what)
      return request()
    })
  }
  return {
    ...client,
    bound: call => mortalClient(client.bound(call), life),
    get: (ref, options) => read(`get ${refText(ref)}`, () => client.get(ref, options)),
    list: query => read(`list ${query.kind} ${query.namespace ?? ''}`.trimEnd(), () => client.list(query)),
    raw: request => read(`${request.method} ${request.path}`, () => client.raw(request)),
    create: (object, options) => write(written('create', object, options), () => client.create(object, options)),
    apply: (object, options) => write(written('apply', object, options), () => client.apply(object, options)),
    replace: (object, options) => write(written('update', object, options), () => client.replace(object, options)),
    patch: (ref, patch, options) =>
      write({ verb: verbOn('patch', options), ref, ...options }, () => client.patch(ref, patch, options)),
    delete: (ref, options) => write({ verb: 'delete', ref, ...options }, () => client.delete(ref, options)),
  }
}

type Written = { readonly verb: string; readonly ref: ObjectRef; readonly dryRun?: boolean }

type Options = { readonly dryRun?: boolean; readonly subresource?: string }

const written = (verb: string, object: KubeObject, options: Options): Written => ({
  verb: verbOn(verb, options),
  ref: refOf(object),
  dryRun: options.dryRun,
})

const verbOn = (verb: string, { subresource }: Options): string => (subresource ? `${verb} ${subresource} of` : verb)
