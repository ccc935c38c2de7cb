// The progress of the samples: a line for each new state, and at the end all states.
import { type ObjectRef, refText } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client } from '../../kube/client-types.ts'
import { type SampleState, type StateOf, sampleStateOf, waiting } from './samples.ts'
import { type Terminal, wrapped } from './terminal.ts'

/** The time between two reads of the samples. */
export const lookMilliseconds = 200

type Showing = { readonly terminal: Terminal; readonly stateOf?: StateOf | undefined }

/** Prints the states of each object. All objects are watched together, so that short states are also seen. */
export class SampleProgress {
  readonly #client: Client
  readonly #stateOf: StateOf | undefined
  readonly #terminal: Terminal
  readonly #open: Map<string, ObjectRef>
  readonly #printed = new Map<string, string>()

  constructor(client: Client, refs: readonly ObjectRef[], { terminal, stateOf }: Showing) {
    this.#client = client
    this.#stateOf = stateOf
    this.#terminal = terminal
    this.#open = new Map(refs.map(ref => [refText(ref), ref]))
  }

  /** The samples that are not done. */
  get open(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Waits until `isReached` is true for every object, or until `patience` is over or `ending` aborts. */
  async until(isReached: (state: SampleState) => boolean, patience: number, ending?: AbortSignal): Promise<void> {
    const until = performance.now() + patience
    while (!ending?.aborted && !(await this.#look(isReached)) && performance.now() < until)
      await new Promise(resolve => setTimeout(resolve, lookMilliseconds))
  }

  async #look(isReached: (state: SampleState) => boolean): Promise<boolean> {
    const states = await Promise.all([...this.#open].map(one => this.#stateNow(one)))
    for (const { name, state } of states) this.#print(name, state)
    return states.every(({ state }) => state === undefined || isReached(state))
  }

  async #stateNow([name, ref]: [string, ObjectRef]): Promise<{ name: string; state: SampleState | undefined }> {
    return { name, state: await stateNow(this.#client, ref, this.#stateOf) }
  }

  #print(name: string, state: SampleState | undefined): void {
    if (state?.isDone !== false) this.#open.delete(name)
    if (state && (state.isDone || state.text !== (this.#printed.get(name) ?? waiting.text)))
      this.#terminal.line(state.isDone ? 'done' : '…', `${name}: ${state.text}`)
    this.#printed.set(name, state?.text ?? '')
  }
}

/** A failed read is ignored, because the next read may succeed. */
export const stateNow = async (
  client: Pick<Client, 'get'>,
  ref: ObjectRef,
  stateOf: StateOf = sampleStateOf,
): Promise<SampleState | undefined> => {
  try {
    return stateOf(await client.get(ref))
  } catch (error) {
    return { isDone: false, text: `cannot be read now: ${errorText(error)}` }
  }
}

type SampleResult = { readonly object: string; readonly state: SampleState }

/** Omits objects that have no state. */
export const resultsOf = async (
  client: Client,
  refs: readonly ObjectRef[],
  stateOf?: StateOf,
): Promise<SampleResult[]> => {
  const read = await Promise.all(
    refs.map(async ref => ({ object: refText(ref), state: await stateNow(client, ref, stateOf) })),
  )
  return read.flatMap(({ object, state }) => (state ? [{ object, state }] : []))
}

/** For users: the state of each object, and below it the details. */
export const resultText = (results: readonly SampleResult[]): string =>
  results
    .flatMap(({ object, state: { text, details = [] } }) => [
      wrapped(`${object}: ${text}`, 6),
      ...details.map(detail => `    ${wrapped(detail, 6)}`),
    ])
    .join('\n')
