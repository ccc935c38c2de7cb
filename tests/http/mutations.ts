// Seeded damage to AdmissionReviews: the same seed gives the same bodies, so that a failure can be looked at again.

export type Random = () => number

/** mulberry32: small, fast, good enough to spread cases. */
export const seededRandom = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * The review, given as JSON, with one to four changes of its structure, most of them in its request; in one of ten cases
 * damage to its bytes.
 */
export const mutated = (review: string, random: Random): Buffer => {
  const { request, ...head } = JSON.parse(review) as { request: unknown }
  let changed: unknown = random() < 0.8 ? { ...head, request: changedWithin(request, random) } : { ...head, request }
  if (random() < 0.3) changed = changedOnce(changed, random)
  const bytes = Buffer.from(JSON.stringify(changed) ?? '')
  return random() < 0.1 ? damaged(bytes, random) : bytes
}

const changedWithin = (request: unknown, random: Random): unknown => {
  let changed = request
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) changed = changedOnce(changed, random)
  return changed
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

/** Walks down at random and changes what it finds there. */
const changedOnce = (value: unknown, random: Random): unknown => {
  const isInner = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isInner || random() < 0.15) return pick(random, oddities)()
  const name = pick(random, Object.keys(value))
  const inner = value as Record<string, unknown>
  const change = random()
  if (change < 0.2) delete inner[name]
  else if (change < 0.3) inner[pick(random, names)] = inner[name]
  else if (change < 0.35) set(inner, '__proto__', inner[name])
  else set(inner, name, changedOnce(inner[name], random))
  return inner
}

/** As JSON.parse does it: also `__proto__` becomes an own field. */
const set = (map: object, name: string, value: unknown): void => {
  Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true })
}

const oddities: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 1e308,
  () => '',
  () => 'x',
  () => '\u0000\ud800',
  () => 'y'.repeat(5_000),
  () => [],
  () => [null],
  () => ({}),
  () => ({ toString: 1, constructor: { prototype: { polluted: 1 } } }),
  () => 'CONNECT',
  () => 'DELETE',
  () => 'UPDATE',
  () => 'admission.k8s.io/v1beta1',
  () => 'admission.k8s.io/v2',
  () => ({ metadata: null }),
  () => ({ metadata: {}, spec: { size: 0 } }),
  () => nested(150),
  () => nested(1_000),
]

const names = [
  'uid',
  'request',
  'object',
  'oldObject',
  'kind',
  'metadata',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a/b~c',
]

const nested = (depth: number): unknown => {
  let value: unknown = {}
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { inner: value }
  return value
}

const damaged = (bytes: Buffer, random: Random): Buffer => {
  const at = Math.floor(random() * (bytes.length + 1))
  const how = random()
  if (how < 0.3) return bytes.subarray(0, at)
  if (how < 0.6)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([Math.floor(random() * 256)]), bytes.subarray(at)])
  const copy = Buffer.from(bytes)
  if (copy.length > 0) copy[at % copy.length] = Math.floor(random() * 256)
  return copy
}
