// V8 flags and buffers for programs that run for weeks and should use little memory. A program sets the flags itself after its modules are loaded. On
// the command line, the flags would cost 30 of the 250 ms of a host's start: Node's own modules are precompiled, and V8 uses them only with the same
// flags.
import { setFlagsFromString } from 'node:v8'

/**
 * How much the heap of old objects may grow before V8 collects garbage. Without a flag the heap may grow to several times its size. `half` costs
 * at most a twelfth of the time. `least` suits a program that allocates much and keeps little.
 */
export type HeapGrowth = 'half' | 'least'

const growthFlags: Readonly<Record<HeapGrowth, string>> = {
  half: '--heap-growing-percent=50',
  least: '--optimize-for-size',
}

/** WebAssembly is not optimized: only undici's parser uses it, and optimizing it would take 14 MB to save 3 µs per answer. */
const plainWebAssembly = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/** Short buffers are slices of a pool, and one slice of a long connection keeps the whole pool in memory. Node's pools have 64 KiB. */
const poolBytes = 8 * 1024

export const holdLittleMemory = (growth: HeapGrowth): void => {
  Buffer.poolSize = poolBytes
  for (const flag of [growthFlags[growth], ...plainWebAssembly]) setFlagsFromString(flag)
}
