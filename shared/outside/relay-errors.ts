// Errors of requests to the relay. A separate file, so that error handlers need not load the client.

/** The relay is unreachable, is starting, or has a full queue. */
export class RelayAway extends Error {
  override readonly name = 'RelayAway'
}

/** The relay refuses this host or function: the configuration is wrong. */
export class RelayRefusal extends Error {
  override readonly name = 'RelayRefusal'
  readonly status: number
  constructor(status: number) {
    super(`the relay answered ${status}`)
    this.status = status
  }
}
