// V8 flags and buffers for programs that run for weeks and should use little memory. A program sets them itself after its modules are loaded. On the command line
// they would cost 30 of the 250 ms that a host takes to start: Node's own modules are compiled beforehand, and V8 uses them only under the same
// flags.
import { setFlagsFromString } from 'node:v8'

/**
 * How far the heap of old objects may grow before V8 collects. Without a flag it may grow to several times its size. `half` costs a twelfth of the
 * time at worst; `least` suits a program that allocates much and keeps little.
 */
export type HeapGrowth = 'half' | 'least'

const growthFlags: Readonly<Record<HeapGrowth, string>> = {
  half: '--heap-growing-percent=50',
  least: '--optimize-for-size',
}

/** WebAssembly stays as it is compiled first: only undici's parser uses it, and optimizing it would take 14 MB to save 3 µs per answer. */
const plainWebAssembly = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/** Short buffers are slices of a pool, and one slice that lives as long as its connection keeps a whole pool. Node's pools have 64 KiB. */
const poolBytes = 8 * 1024

export const holdLittleMemory = (growth: HeapGrowth): void => {
  Buffer.poolSize = poolBytes
  for (const flag of [growthFlags[growth], ...plainWebAssembly]) setFlagsFromString(flag)
}
