// Why keys were not handed over. A separate file, so that code that turns errors into answers need not load the client.

/** The relay cannot be reached, is starting, or has no room. */
export class RelayAway extends Error {
  override readonly name = 'RelayAway'
}

/** The relay does not take keys from this host for this function: the configuration is wrong. */
export class RelayRefusal extends Error {
  override readonly name = 'RelayRefusal'
  readonly status: number
  constructor(status: number) {
    super(`the relay answered ${status}`)
    this.status = status
  }
}
