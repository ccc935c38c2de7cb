// Calls over and over, and what became of them. Two things that are compared take turns in short slices, so that
// whatever else the machine does meanwhile falls on both.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { progress } from './report.ts'

/** One call; a rejection counts as a failure. `turn` numbers the calls of its contestant from 0. */
export type Call = (turn: number) => Promise<unknown>

/** What a contestant's calls took, summed over all its slices. */
export type Tally = {
  readonly calls: number
  readonly failures: number
  readonly seconds: number
  /** Of the calls that did not fail. */
  readonly perSecond: number
  /** Of the calls that did not fail, in milliseconds; `share` is 0.99 for p99. */
  milliseconds(share: number): number
}

export type Load = {
  /** Each begins its next call as soon as its last has ended. */
  readonly callers: number
  /** For each contestant, all slices together. */
  readonly seconds: number
  readonly sliceSeconds?: number
  /** Not counted, before the first slice of each. */
  readonly warmUpSeconds?: number
  /** By contestant: what goes on around each of its slices. */
  readonly during?: Readonly<Record<string, (slice: Slice) => Promise<void>>>
}

export type Slice = () => Promise<void>

/** All contestants under the same load, in turns. */
export const compared = async <Name extends string>(
  contestants: Readonly<Record<Name, Call>>,
  { callers, seconds, warmUpSeconds = 1, sliceSeconds = 1, during = {} }: Load,
): Promise<Record<Name, Tally>> => {
  const runs = Object.entries<Call>(contestants).map(([name, call]) => ({ name, run: new Run(call, callers) }))
  for (const { run } of runs) {
    await run.slice(warmUpSeconds)
    run.forget()
  }
  const slices = Math.max(1, Math.round(seconds / sliceSeconds))
  for (let slice = 0; slice < slices; slice++)
    for (const { name, run } of runs) {
      const around = during[name] ?? ((act: Slice) => act())
      await around(() => run.slice(seconds / slices))
    }
  for (const { name, run } of runs) run.tellFailures(name)
  return Object.fromEntries(runs.map(({ name, run }) => [name, run.tally()])) as Record<Name, Tally>
}

class Run {
  readonly #call: Call
  readonly #callers: number
  readonly #histogram: RecordableHistogram = createHistogram({ figures: 3 })
  #turn = 0
  #counts = { calls: 0, failures: 0, seconds: 0 }
  #firstFailure: unknown

  constructor(call: Call, callers: number) {
    this.#call = call
    this.#callers = callers
  }

  /** Goes on with the turns, so that no call is made twice. */
  forget(): void {
    this.#histogram.reset()
    this.#counts = { calls: 0, failures: 0, seconds: 0 }
    this.#firstFailure = undefined
  }

  tally(): Tally {
    const { calls, failures, seconds } = this.#counts
    return {
      ...this.#counts,
      perSecond: (calls - failures) / seconds,
      milliseconds: share => this.#histogram.percentile(share * 100) / 1e6,
    }
  }

  tellFailures(name: string): void {
    const { failures } = this.#counts
    if (failures > 0) progress(`${name}: ${failures} calls failed, the first with ${this.#firstFailure}`)
  }

  async slice(seconds: number): Promise<void> {
    const began = performance.now()
    const until = began + seconds * 1000
    const caller = async () => {
      while (performance.now() < until) await this.#once()
    }
    await Promise.all(Array.from({ length: this.#callers }, caller))
    this.#counts.seconds += (performance.now() - began) / 1000
  }

  async #once(): Promise<void> {
    const began = performance.now()
    try {
      await this.#call(this.#turn++)
      this.#histogram.record(Math.max(1, Math.round((performance.now() - began) * 1e6)))
    } catch (failure) {
      this.#counts.failures++
      this.#firstFailure ??= failure
    }
    this.#counts.calls++
  }
}

/** Performs `call` for 0, 1, … below `count`, so many at once; the first rejection ends it. */
export const inParallel = async (count: number, callers: number, call: Call): Promise<void> => {
  let next = 0
  const caller = async () => {
    while (next < count) await call(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** How long the work took. */
export const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** The middle one, or the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}
