// Which request meets which fault: a table of rules that count the requests they fit. Nothing here knows HTTP; what a
// fault does to a request is told in faults.ts.
import type { Fault } from './faults.ts'
import type { KubeRequest, Verb } from './request.ts'

/** Absent fields fit everything. */
export type Match = {
  readonly verbs?: readonly Verb[]
  readonly group?: string
  /** With its subresource: `gardens` does not fit `gardens/status`. */
  readonly resource?: string
  readonly namespace?: string
  readonly name?: string
}

export type Rule = {
  readonly match: Match
  /** The first request of those that fit which is struck; 1 when not given. */
  readonly nth?: number
  /** How many are struck from then on; 1 when not given. */
  readonly times?: number
  /** Only this share of them, picked by a generator whose seed is the rule's place among the others. */
  readonly share?: number
  /** Of the requests of one verb to one object every second passes: it is the struck one, sent again. Creates are never sent again. */
  readonly isSparedAgain?: boolean
  readonly fault: Fault
}

/** A rule at work. */
export type Injected = {
  /** How many requests it has struck: a test whose fault never struck has proved nothing. */
  struck(): number
  /** Resolves when it strikes for the first time. */
  readonly strikes: Promise<void>
  remove(): void
}

export type Rules = {
  /** Later rules count after earlier ones: the first whose turn it is strikes. */
  inject(rule: Rule): Injected
  /** The fault this request meets; every rule that fits counts it. */
  faultFor(request: KubeRequest): Fault | undefined
  clear(): void
}

export const fits = (match: Match, request: KubeRequest): boolean =>
  (match.verbs?.includes(request.verb) ?? true) &&
  (match.group ?? request.group) === request.group &&
  (match.resource ?? request.resource) === request.resource &&
  (match.namespace ?? request.namespace) === request.namespace &&
  (match.name ?? request.name) === request.name

/** A table without rules. */
export const newRules = (): Rules => {
  const running = new Set<Running>()
  return {
    inject: rule => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const one: Running = {
        rule,
        seen: 0,
        struck: 0,
        announce: resolve,
        random: seededRandom(running.size),
        spared: new Set(),
      }
      running.add(one)
      return { struck: () => one.struck, strikes: promise, remove: () => running.delete(one) }
    },
    faultFor: request => {
      const due = [...running].filter(one => isDue(one, request))
      return due[0] && strike(due[0])
    },
    clear: () => running.clear(),
  }
}

type Running = {
  rule: Rule
  seen: number
  struck: number
  announce: () => void
  random: () => number
  spared: Set<string>
}

/** Counts the request and says whether it is this rule's turn. */
const isDue = (one: Running, request: KubeRequest): boolean => {
  const { match, nth = 1, times = 1, share = 1, isSparedAgain = false } = one.rule
  if (!fits(match, request)) return false
  one.seen++
  if (isSparedAgain && isAgain(one, request)) return false
  return one.seen >= nth && one.seen < nth + times && (share === 1 || one.random() < share)
}

/** Whether the one before it was struck. */
const isAgain = ({ spared }: Running, { verb, resource, namespace, name }: KubeRequest): boolean => {
  if (name === '') return false
  const asked = `${verb} ${resource} ${namespace}/${name}`
  return spared.delete(asked) || !spared.add(asked)
}

const strike = (one: Running): Fault => {
  one.struck++
  one.announce()
  return one.rule.fault
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
