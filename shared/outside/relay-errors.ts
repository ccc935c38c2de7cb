// Why keys were not handed over. Apart from the client, because whoever answers for errors need not be able to call.

/** The relay cannot be reached, is starting, or has no room. */
export class RelayAway extends Error {
  override readonly name = 'RelayAway'
}

/** The relay does not take keys from this host for this function: a matter of configuration. */
export class RelayRefusal extends Error {
  override readonly name = 'RelayRefusal'
  readonly status: number
  constructor(status: number) {
    super(`the relay answered ${status}`)
    this.status = status
  }
}
