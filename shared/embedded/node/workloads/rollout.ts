// The arithmetic of a Deployment's rollout: the next sizes of the new and the old ReplicaSets. Pure.
import { fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'

export const amountOf = (value: unknown, total: number, rounded: 'up' | 'down'): number => {
  if (typeof value === 'number') return value
  const share = (Number.parseFloat(String(value ?? '0')) / 100) * total
  return rounded === 'up' ? Math.ceil(share) : Math.floor(share)
}

export type Room = { readonly desired: number; readonly surge: number; readonly unavailable: number }

/** How far a rollout may exceed the number of replicas (`surge`), and fall below this number. At least one of both values is not 0. */
export const roomOf = (deployment: JsonMap): Room => {
  const desired = numberAt(deployment, ['spec', 'replicas'], 1)
  const strategy = fieldsAt(deployment, 'spec', 'strategy')
  if (textAt(strategy, 'type') !== 'RollingUpdate') return { desired, surge: 0, unavailable: 0 }
  const rolling = fieldsAt(strategy, 'rollingUpdate')
  const surge = amountOf(rolling?.maxSurge, desired, 'up')
  const asked = amountOf(rolling?.maxUnavailable, desired, 'down')
  return { desired, surge, unavailable: Math.min(desired, surge === 0 && asked === 0 ? 1 : asked) }
}

export type Part = { readonly wanted: number; readonly available: number }

const sum = (parts: readonly Part[], field: keyof Part): number => parts.reduce((total, part) => total + part[field], 0)

/** The next size of the new ReplicaSet, which grows as far as the surge allows. */
export const newSize = (room: Room, fresh: Part, old: readonly Part[]): number => {
  if (fresh.wanted >= room.desired) return room.desired
  const free = room.desired + room.surge - fresh.wanted - sum(old, 'wanted')
  return fresh.wanted + Math.max(0, Math.min(free, room.desired - fresh.wanted))
}

/** The next sizes of the old ReplicaSets, oldest first. Unavailable Pods are deleted first, then available Pods that are not needed. */
export const oldSizes = (room: Room, fresh: Part, old: readonly Part[]): number[] => {
  const least = room.desired - room.unavailable
  const all = sum(old, 'wanted') + fresh.wanted
  const missing = Math.max(0, fresh.wanted - fresh.available)
  const most = Math.max(0, all - least - missing)
  const healthy = taken(old, most, ({ wanted, available }) => wanted - available)
  const spare = sum(healthy, 'available') + fresh.available - least
  return taken(healthy, Math.max(0, spare), ({ wanted }) => wanted).map(({ wanted }) => wanted)
}

/** Removes at most `most` Pods in total, and at most `goes(part)` Pods of each part. */
const taken = (parts: readonly Part[], most: number, goes: (part: Part) => number): Part[] => {
  let left = most
  return parts.map(part => {
    const count = Math.max(0, Math.min(left, goes(part)))
    left -= count
    return { wanted: part.wanted - count, available: Math.min(part.available, part.wanted - count) }
  })
}

/** The sizes after the number of replicas changed during a rollout. Each ReplicaSet keeps its share; the largest takes the rest. */
export const proportionalSizes = (total: number, parts: readonly Part[]): number[] => {
  const before = sum(parts, 'wanted')
  if (before === 0) return parts.map(() => 0)
  const sizes = parts.map(({ wanted }) => Math.round((wanted * total) / before))
  const largest = parts.reduce((best, { wanted }, index) => (wanted > (parts[best]?.wanted ?? 0) ? index : best), 0)
  const rest = total - sizes.reduce((all, size) => all + size, 0)
  return sizes.map((size, index) => (index === largest ? Math.max(0, size + rest) : size))
}
