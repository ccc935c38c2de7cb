// Shapes of settings. A shape describes the format in words and parses the text; undefined for an invalid text.
import { quantityAmount } from '../objects/quantity.ts'
import { waitSeconds } from '../time/duration.ts'

export type Shape<T> = { readonly says: string; readonly read: (text: string) => { value: T } | undefined }
export type Address = { readonly host: string; readonly port: number }

const shape = <T>(says: string, value: (text: string) => T | undefined): Shape<T> => ({
  says,
  read: text => {
    const read = value(text)
    return read === undefined ? undefined : { value: read }
  },
})

/**
 * Also accepts an empty text.
 *
 *   shapes.optional(shapes.url).read('') // { value: undefined }
 */
export const optional = <T>(inner: Shape<T>): Shape<T | undefined> => ({
  says: `${inner.says}, or empty`,
  read: text => (text === '' ? { value: undefined } : inner.read(text)),
})

/**
 * Any text except an empty one. `says` describes the text in messages.
 *
 *   shapes.textShape('the name of a Secret').read('access') // { value: 'access' }
 */
export const textShape = (says: string): Shape<string> => shape(says, given => given || undefined)

/** A text for `Bearer ` headers that is too long to guess. */
export const bearerSecret: Shape<string> = shape('at least 32 letters, digits and -._~+/', given =>
  /^[-A-Za-z0-9._~+/]{32,}=*$/.test(given) ? given : undefined,
)

/**
 * Names or patterns, separated by commas.
 *
 *   shapes.listShape('names').read('a, b') // { value: ['a', 'b'] }
 */
export const listShape = (says: string): Shape<readonly string[]> =>
  shape(`${says}, separated by commas`, given =>
    given
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  )

/**
 * Exactly one of these words.
 *
 *   shapes.oneOfShape('on', 'off').read('on') // { value: 'on' }
 */
export const oneOfShape = <const Word extends string>(...words: readonly Word[]): Shape<Word> =>
  shape(`one of ${words.join(', ')}`, given => words.find(word => word === given))

/**
 * At least one of these words, separated by commas.
 *
 *   shapes.someOfShape('watch', 'admission').read('watch') // { value: ['watch'] }
 */
export const someOfShape = <const Word extends string>(...words: readonly Word[]): Shape<readonly Word[]> =>
  shape(`one or more of ${words.join(', ')}, separated by commas`, given => {
    const named = given.split(',').map(part => words.find(word => word === part.trim()))
    return named.every(word => word !== undefined) ? named : undefined
  })

/**
 * A number of seconds between two bounds.
 *
 *   shapes.seconds(0, 3_600).read('2.5') // { value: 2.5 }
 */
export const seconds = (least: number, most: number): Shape<number> =>
  shape(`seconds from ${least} to ${most}`, given => {
    const number = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN
    return number >= least && number <= most ? number : undefined
  })

/**
 * A duration such as 90s or 1h30m, in seconds.
 *
 *   shapes.durationBetween('1s', '24h').read('1h30m') // { value: 5400 }
 */
export const durationBetween = (least: string, most: string): Shape<number> =>
  shape(`a duration from ${least} to ${most} such as 90s or 1h30m`, given => {
    const [length, low = 0, high = 0] = [given, least, most].map(waitSeconds)
    return length !== undefined && length >= low && length <= high ? length : undefined
  })

export const upToADay = durationBetween('1s', '24h')

/** A quantity such as 100m (CPU) or 200Mi (memory). */
export const positiveQuantity: Shape<string> = shape('a quantity such as 100m or 200Mi', given =>
  (quantityAmount(given) ?? 0) > 0 ? given : undefined,
)

/**
 * A whole number between two bounds. `unit` is the unit in messages.
 *
 *   shapes.whole('hours', 1, 168).read('12') // { value: 12 }
 */
export const whole = (unit: string, least: number, most: number): Shape<number> =>
  shape(`whole ${unit} from ${least} to ${most}`, given => {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN
    return number >= least && number <= most ? number : undefined
  })

/** `host:port` to listen on. Without a host: all IPv4 and IPv6 addresses. Port 0: the system chooses. */
export const address: Shape<Address> = shape(
  ':8080 for every address, or host:port such as 127.0.0.1:8080 or [::1]:8080',
  given => {
    const { host, port } = /^(?:\[?(?<host>[^\][]+)\]?)?:(?<port>\d{1,5})$/.exec(given)?.groups ?? {}
    return port !== undefined && Number(port) <= 65_535 ? { host: host ?? '', port: Number(port) } : undefined
  },
)

/** `host:port` of a server. */
export const hostAndPort: Shape<string> = shape('host:port such as listener.example.org:443', given => {
  const parsed = URL.parse(`https://${given}`)
  return parsed && /:\d{1,5}$/.test(given) && `${parsed.hostname}:${parsed.port || '443'}` === given.toLowerCase()
    ? given
    : undefined
})

export const serverAddresses: Shape<readonly string[]> = shape(
  'hosts with a port such as 127.0.0.1:5000, separated by commas',
  given => {
    const all = listShape('addresses').read(given)?.value ?? []
    return all.every(one => hostAndPort.read(one)) ? all : undefined
  },
)

export const url: Shape<string> = shape('an http or https URL without a path', given => {
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  return parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' ? parsed.origin : undefined
})

/** Without credentials, because charts are pulled anonymously. */
export const chartSource: Shape<string> = shape(
  'a folder, oci://repository:tag or oci://repository@sha256:…, without user and password',
  given => {
    const isArtifact = /^oci:\/\/[\w.:[\]-]+(\/[\w.-]+)+(:[\w.-]+|@sha256:[0-9a-f]{64})$/.test(given)
    return isArtifact || (given !== '' && !given.includes('://')) ? given : undefined
  },
)

export const namespaceName: Shape<string> = shape('a namespace such as istio-system', given =>
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(given) ? given : undefined,
)

export const namespacedName: Shape<{ namespace: string; name: string }> = shape(
  'a namespace and a name such as istio-system/gateway',
  given => {
    const { namespace, name } = /^(?<namespace>[-a-z0-9]+)\/(?<name>[-.a-z0-9]+)$/.exec(given)?.groups ?? {}
    return namespace !== undefined && name !== undefined ? { namespace, name } : undefined
  },
)
