// A process of the host that dies in the middle of its work. Its last write is done, but the process gets no answer, no later request gets through,
// and its memory is lost. The death is simulated in front of the client, which costs nothing.
//
//   const mortal = mortalProcess({ local, settingsOf }, 1)
//   await mortal.reconcile(gardenReconcile, key) // writes once, at most
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { Key } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { readOnly, writable } from '../../../shared/kube/clusters/read-only.ts'
import { type ProcessContext, processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'

export type MortalProcess = {
  /** undefined: it died during the call. */
  reconcile(definition: ReconcileFunction, key: Key): Promise<Outcome | undefined>
  isDead(): boolean
  /** Closes its connections. */
  end(): Promise<void>
}

type Home = { readonly local: Client } & Pick<ProcessContext, 'settingsOf'>

/** The time limit of a call, for calls that hang: other work on this machine may delay it. */
const callMilliseconds = 120_000

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** It dies right after so many writes, in whichever clusters. */
export const mortalProcess = ({ local, settingsOf }: Home, writes: number): MortalProcess => {
  const life = new Life(writes)
  const remotes = new Set<Client>()
  const context = processContext({
    clusters: clusters({ local: mortalClient(local, life) }),
    settingsOf,
    memory: memoryOf(life, remotes),
  })
  return {
    reconcile: async (definition, key) => {
      const end = performance.now() + callMilliseconds
      const bounds = { lastPassAt: end, lastRequestAt: end, signal: life.signal, now: () => new Date(), log: silent }
      const call = reconcile(definition, key, { ...context, ...bounds })
      const isDead = call.then(
        () => life.signal.aborted,
        () => life.signal.aborted,
      )
      return (await isDead) ? undefined : call
    },
    isDead: () => life.signal.aborted,
    end: async () => {
      await Promise.all([...remotes].map(remote => remote.close()))
    },
  }
}

const memoryOf = (life: Life, remotes: Set<Client>): ProcessContext['memory'] => {
  const memory = processMemory()
  return {
    ...memory,
    remoteClient: async kubeconfig => {
      const remote = writable(await memory.remoteClient(kubeconfig))
      remotes.add(remote)
      return readOnly(mortalClient(remote, life))
    },
  }
}

/** The same for single calls: the clients that it returns die together. Their writes wait for each other, so no write follows the last one. */
export const dyingAfter = (writes: number): ((client: Client) => Client) => {
  const life = new LifeInTurn(writes)
  return client => mortalClient(client, life)
}

class Life {
  readonly #death = new AbortController()
  readonly signal = this.#death.signal
  #writesLeft: number

  constructor(writes: number) {
    this.#writesLeft = writes
  }

  async read<T>(act: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    return act()
  }

  /** A write that fails has not been done and does not count. */
  async write<T>(act: () => Promise<T>): Promise<T> {
    const answer = await this.read(act)
    this.#writesLeft--
    if (this.#writesLeft <= 0) this.#death.abort(new Error('the process was killed'))
    return this.read(async () => answer)
  }
}

class LifeInTurn extends Life {
  #before: Promise<unknown> = Promise.resolve()

  override async write<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#before.then(() => super.write(act))
    this.#before = done.catch(() => undefined)
    return done
  }
}

const mortalClient = (client: Client, life: Life): Client => ({
  ...client,
  bound: call => mortalClient(client.bound(call), life),
  get: (...of) => life.read(() => client.get(...of)),
  list: (...of) => life.read(() => client.list(...of)),
  raw: (...of) => life.read(() => client.raw(...of)),
  scopeOf: (...of) => life.read(() => client.scopeOf(...of)),
  create: (...of) => life.write(() => client.create(...of)),
  apply: (...of) => life.write(() => client.apply(...of)),
  replace: (...of) => life.write(() => client.replace(...of)),
  patch: (...of) => life.write(() => client.patch(...of)),
  delete: (...of) => life.write(() => client.delete(...of)),
})
