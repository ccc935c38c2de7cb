// Flags of a program as a table: one row per flag, with its value for these settings.
//
//   const flags: Flag<{ ttl?: string }>[] = [
//     { flag: 'event-ttl', value: ({ ttl }) => ttl },
//     { flag: 'profiling', value: () => false },
//   ]
//   flagTexts(flags, { ttl: '1h' }) // ['--event-ttl=1h', '--profiling=false']

type FlagValue = string | number | boolean | readonly string[] | undefined

export type Flag<About> = {
  readonly flag: string
  /** undefined: the flag is absent. A list: the flag is repeated for each item. */
  readonly value: (about: About) => FlagValue
}

export const flagTexts = <About>(flags: readonly Flag<About>[], about: About): string[] =>
  flags.flatMap(({ flag, value }) => asList(value(about)).map(one => `--${flag}=${one}`))

/** Rows of flags that never change: `fixedFlags({ profiling: false })`. */
export const fixedFlags = (values: Readonly<Record<string, string | number | boolean>>): Flag<unknown>[] =>
  Object.entries(values).map(([flag, value]) => ({ flag, value: () => value }))

/** For example `a,b`. undefined for an empty list. */
export const joined = (values: readonly string[] | undefined): string | undefined =>
  values && values.length > 0 ? values.join() : undefined

/** For example `A=true,B=false`, sorted. undefined for an empty map. */
export const switches = (values: Readonly<Record<string, boolean>> | undefined): string | undefined =>
  joined(
    Object.entries(values ?? {})
      .map(([name, isOn]) => `${name}=${isOn}`)
      .sort(),
  )

const asList = (value: FlagValue): readonly (string | number | boolean)[] => {
  if (value === undefined) return []
  return typeof value === 'object' ? value : [value]
}

/** The cipher suites of the virtual garden's servers. */
export const tlsCipherSuites = [
  ...['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
  ...['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305'],
] as const
