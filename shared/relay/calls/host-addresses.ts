// Chooses the host for a call. Services of functions are headless (`clusterIP: None`), so their names resolve to the addresses of all ready
// hosts. A connection to a Service address would stay with one host, and new hosts would get no calls.
import { lookup } from 'node:dns/promises'

type LookUp = (name: string) => Promise<string[]>

type Known = { addresses: string[]; until: number }

const freshMilliseconds = 5_000

/** Errors after which no request was sent. */
const unreachable: readonly unknown[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

export class HostAddresses {
  readonly #lookUp: LookUp
  readonly #now: () => number
  readonly #known = new Map<string, Known>()
  /** Running calls by address. All names share the map, because functions share hosts. Addresses without a name are dropped. */
  readonly #load = new Map<string, { calls: number; latest: number }>()
  #latest = 0

  constructor(lookUp: LookUp = allAddresses, now: () => number = () => performance.now()) {
    this.#lookUp = lookUp
    this.#now = now
  }

  get counted(): number {
    return this.#load.size
  }

  /** Calls the address with the fewest running calls, or the next address if no connection is possible. */
  async call<Reply>(name: string, perform: (address: string) => Promise<Reply>): Promise<Reply> {
    const addresses = await this.#addressesOf(name)
    const address = this.#leastBusy(addresses)
    try {
      return await this.#counted(address, perform)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      this.#forget(name, address)
      if (addresses.length === 1) throw error
      return this.call(name, perform)
    }
  }

  /** Resolves the name again every few seconds. Until the result arrives, and after a failure, calls use the known addresses. */
  async #addressesOf(name: string): Promise<string[]> {
    const known = this.#known.get(name)
    if (known === undefined) return this.#refreshed(name, await this.#lookUp(name))
    if (known.until <= this.#now()) {
      this.#refreshed(name, known.addresses)
      this.#lookUp(name)
        .then(found => this.#refreshed(name, found))
        .catch(() => undefined)
    }
    return known.addresses
  }

  #refreshed(name: string, addresses: string[]): string[] {
    this.#known.set(name, { addresses, until: this.#now() + freshMilliseconds })
    const all = new Set([...this.#known.values()].flatMap(known => known.addresses))
    for (const [address, { calls }] of this.#load) if (calls === 0 && !all.has(address)) this.#load.delete(address)
    return addresses
  }

  #forget(name: string, gone: string): void {
    const known = this.#known.get(name)
    const addresses = known?.addresses.filter(address => address !== gone) ?? []
    if (known && addresses.length > 0) this.#known.set(name, { ...known, addresses })
    else this.#known.delete(name)
  }

  /** The address with the fewest running calls. Among equal addresses, the address whose latest call started first. */
  #leastBusy(addresses: readonly string[]): string {
    return addresses.reduce((least, address) => {
      const [one, other] = [this.#loadOf(address), this.#loadOf(least)]
      return (one.calls - other.calls || one.latest - other.latest) < 0 ? address : least
    })
  }

  #loadOf(address: string) {
    return this.#load.get(address) ?? { calls: 0, latest: 0 }
  }

  async #counted<Reply>(address: string, perform: (address: string) => Promise<Reply>): Promise<Reply> {
    this.#load.set(address, { calls: this.#loadOf(address).calls + 1, latest: ++this.#latest })
    try {
      return await perform(address)
    } finally {
      const { calls, latest } = this.#loadOf(address)
      this.#load.set(address, { calls: calls - 1, latest })
    }
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && unreachable.includes(error.code)

const allAddresses: LookUp = async name => (await lookup(name, { all: true })).map(({ address }) => address)
