// The jobs that wait for a place, in the order of their turns: first the tenant that will have used the renderers least. One of them at
// most waits for the second place; all others wait for the first.
import { bytesTogether, type PackedSize } from './packed-bytes.ts'
import type { Turn } from './renderer.ts'
import type { Use } from './used-seconds.ts'

type Waits = { readonly turn: Turn; readonly size: PackedSize | undefined }

export class Waiting<Job extends Waits> {
  readonly #use: Use
  /** Each with the function that cancels its timer. */
  readonly #jobs = new Map<Job, () => void>()
  #forSecond: Job | undefined

  constructor(use: Use) {
    this.#use = use
  }

  get all(): Job[] {
    return [...this.#jobs.keys()]
  }

  /** The job that waits for the second place. */
  get forSecond(): Job | undefined {
    return this.#forSecond
  }

  /** Those that wait for the first place. */
  inTurn(): Job[] {
    return this.#forFirst().sort((one, other) => this.#use.likelyDifference(one.turn, other.turn))
  }

  /** How long those before this one are likely to take in the first place. */
  secondsBefore({ turn }: Job): number {
    return this.#forFirst()
      .filter(other => this.#use.likelyDifference(other.turn, turn) <= 0)
      .reduce((sum, other) => sum + this.#use.likelySeconds(other.turn), 0)
  }

  isAnyOf(tenant: string): boolean {
    return this.#forFirst().some(({ turn }) => turn.tenant === tenant)
  }

  /** `callOff` cancels its timer. */
  addForFirst(job: Job, callOff: () => void): void {
    this.#jobs.set(job, callOff)
  }

  addForSecond(job: Job, callOff: () => void): void {
    this.#forSecond = job
    this.#jobs.set(job, callOff)
  }

  remove(job: Job): void {
    this.#jobs.get(job)?.()
    this.#jobs.delete(job)
    if (this.#forSecond === job) this.#forSecond = undefined
  }

  /** The jobs to send away, last turn first, so that the jobs that stay hold at most `bytesMost` bytes together. */
  beyond(bytesMost: number): Job[] {
    const staying = [...(this.#forSecond ? [this.#forSecond] : []), ...this.inTurn()]
    const beyond: Job[] = []
    while (bytesTogether(staying.flatMap(({ size = [] }) => size)) > bytesMost) beyond.push(...staying.splice(-1))
    return beyond
  }

  #forFirst(): Job[] {
    return this.all.filter(job => job !== this.#forSecond)
  }
}
