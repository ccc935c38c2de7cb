// Hides the user and password that an address may begin with, before it is shown to anybody.

/** `https://***@host/path` of `https://user:password@host/path`. A digest at the end is no address: `host/path@sha256:…` stays. */
export const withoutUser = (address: string): string =>
  address.replace(/^([a-z]+:\/\/)?.*@(?!sha\d+:[^@]*$)/s, (_, scheme: string | undefined) => `${scheme ?? ''}***@`)
