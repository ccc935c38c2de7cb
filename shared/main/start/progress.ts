// What becomes of the samples: a line for each new state, and a table of all.
import { type ObjectRef, refText } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { type SampleState, sampleStateOf, waiting } from './samples.ts'
import { table } from './table.ts'
import { printLine } from './terminal.ts'

/** Between two looks at the samples. */
export const lookMilliseconds = 200

/** Prints what happens to each object. All are watched together, so that short-lived states are seen too. */
export class SampleProgress {
  readonly #client: Client
  readonly #open: Map<string, ObjectRef>
  readonly #printed = new Map<string, string>()

  constructor(client: Client, refs: readonly ObjectRef[]) {
    this.#client = client
    this.#open = new Map(refs.map(ref => [refText(ref), ref]))
  }

  /** Those that are not done. */
  get open(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Until this is so of every object, or patience or the run ends. */
  async until(isWished: (state: SampleState) => boolean, patience: number, ending?: AbortSignal): Promise<void> {
    const until = performance.now() + patience
    while (!ending?.aborted && !(await this.#look(isWished)) && performance.now() < until)
      await new Promise(resolve => setTimeout(resolve, lookMilliseconds))
  }

  async #look(isWished: (state: SampleState) => boolean): Promise<boolean> {
    const states = await Promise.all([...this.#open].map(one => this.#stateNow(one)))
    for (const { name, state } of states) this.#print(name, state)
    return states.every(({ state }) => state === undefined || isWished(state))
  }

  async #stateNow([name, ref]: [string, ObjectRef]): Promise<{ name: string; state: SampleState | undefined }> {
    return { name, state: sampleStateOf(await this.#client.get(ref)) }
  }

  #print(name: string, state: SampleState | undefined): void {
    if (state?.isDone !== false) this.#open.delete(name)
    if (state && (state.isDone || state.text !== (this.#printed.get(name) ?? waiting.text)))
      printLine(state.isDone ? 'done' : '…', `${name}: ${state.text}`)
    this.#printed.set(name, state?.text ?? '')
  }
}

/** The table. */
export const resultOf = async (client: Client, refs: readonly ObjectRef[]): Promise<string> => {
  const objects = await Promise.all(refs.map(async ref => ({ ref, state: sampleStateOf(await client.get(ref)) })))
  return table([
    ['OBJECT', 'STATE'],
    ...objects.flatMap(({ ref, state }) =>
      state ? [[refText(ref), state.text], ...(state.details ?? []).map(detail => ['', `  ${detail}`])] : [],
    ),
  ])
}
