// V8's flags for programs that run for weeks and are to hold little. A program sets them itself, once its modules are loaded. On its
// command line they would cost 30 of the 250 ms that a host takes to start: Node brings its own modules compiled, and V8 takes what
// is compiled under its current flags only.
import { setFlagsFromString } from 'node:v8'

/**
 * How far a heap of old objects may grow before V8 collects; without a flag, several times its size. By `half` costs a twelfth of the
 * time at worst; `least` suits a program that allocates much and keeps little.
 */
export type HeapGrowth = 'half' | 'least'

const growthFlags: Readonly<Record<HeapGrowth, string>> = {
  half: '--heap-growing-percent=50',
  least: '--optimize-for-size',
}

/** WebAssembly stays as it is compiled first: only undici's parser uses it, and optimizing it would take 14 MB to save 3 µs per answer. */
const plainWebAssembly = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

export const holdLittleMemory = (growth: HeapGrowth): void => {
  for (const flag of [growthFlags[growth], ...plainWebAssembly]) setFlagsFromString(flag)
}
