// Primes of generated keys: the sieve marks exactly the numbers that a small prime divides.
import { checkPrimeSync } from 'node:crypto'
import t from 'tap'
import { sieved } from '../../../shared/render/template/functions/big-numbers.ts'

t.test(
  'CO-82 the sieve marks all multiples of small primes and no prime, so keys stay those of a plain search',
  async t => {
    for (const start of [2n ** 255n + 1n, 3n ** 80n, 65_521n ** 8n, 2n ** 128n - 4_097n]) {
      const isComposite = sieved(start)
      const numbers = [...isComposite].map((mark, index) => ({ number: start + 2n * BigInt(index), mark }))
      const wrong = numbers.filter(({ number, mark }) => mark === 1 && checkPrimeSync(number))
      t.strictSame(wrong, [], `no prime is marked from ${start}`)
      const missed = numbers.filter(
        ({ number, mark }) => mark === 0 && [3n, 5n, 251n, 65_521n].some(p => number % p === 0n),
      )
      t.strictSame(missed, [], `no multiple is missed from ${start}`)
    }
  },
)
