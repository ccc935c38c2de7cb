// What functions cost that are dearer than looking for a sign in a text: measured, so that 10 million steps of any of them end in some
// three seconds of CPU. All that is not here costs the usual.
import type { Cost } from '../value/signature.ts'

const usual: Cost = { weight: 1, call: 0, reads: 'texts' }

const costing = (cost: Partial<Cost>, names: string): readonly (readonly [string, Cost])[] =>
  names.split(' ').map(name => [name, { ...usual, ...cost }])

const costs: ReadonlyMap<string, Cost> = new Map([
  // Bytes and digests of a text; pieces of it.
  ...costing({ weight: 2 }, 'len trunc substr abbrev abbrevboth lt le gt ge sha512sum b64enc fail'),
  ...costing({ weight: 4 }, 'index indent nindent'),
  ...costing({ weight: 8, call: 200 }, 'encryptAES'),
  ...costing({ weight: 8 }, 'adler32sum regexQuoteMeta'),
  ...costing({ weight: 24 }, 'b64dec'),
  ...costing({ weight: 24, call: 200 }, 'decryptAES'),
  // Rune by rune.
  ...costing({ weight: 16 }, 'replace trim trimAll trimall base clean dir ext isAbs'),
  ...costing({ weight: 32 }, 'upper lower'),
  ...costing({ weight: 64 }, 'nospace shuffle wrap wrapWith untitle title swapcase initials b32enc b32dec'),
  ...costing({ weight: 128 }, 'camelcase snakecase kebabcase'),
  // All that their arguments hold, as text.
  ...costing({ weight: 4, reads: 'all' }, 'print println toString toStrings squote cat'),
  ...costing({ weight: 8, reads: 'all' }, 'html'),
  ...costing({ weight: 16, reads: 'all' }, 'join'),
  ...costing({ weight: 24, reads: 'all' }, 'quote toDecimal js'),
  ...costing({ weight: 48, reads: 'all' }, 'printf'),
  ...costing({ weight: 32, reads: 'all' }, 'sortAlpha'),
  ...costing({ weight: 128, reads: 'all' }, 'urlquery'),
  ...costing({ weight: 8, reads: 'all' }, 'toJson toPrettyJson toRawJson'),
  ...costing({ weight: 24, call: 30, reads: 'all' }, 'toYaml toYamlPretty toToml'),
  // Lists and maps that are copied.
  ...costing({ reads: 'elements' }, 'append prepend push concat slice chunk compact initial rest reverse uniq without'),
  ...costing({ reads: 'elements' }, 'has keys values pick omit'),
  // What is read as numbers, times, versions, documents, templates, patterns.
  ...costing(
    { weight: 16 },
    'int int64 float64 atoi add add1 add1f addf sub subf mul mulf div divf mod max min biggest',
  ),
  ...costing({ weight: 16 }, 'maxf minf floor ceil round bitwiseAnd bitwiseOr bitwiseXor'),
  ...costing({ weight: 16 }, 'bitwiseShiftLeft bitwiseShiftRight formatIPv4Address'),
  ...costing({ weight: 32, call: 100 }, 'date htmlDate ago duration durationRound dateModify date_modify unixEpoch'),
  ...costing({ weight: 64, call: 100 }, 'toDate'),
  ...costing({ weight: 32, call: 1_500 }, 'dateInZone date_in_zone htmlDateInZone'),
  ...costing({ weight: 64, call: 60 }, 'semver semverCompare urlParse urlJoin'),
  ...costing({ weight: 64, call: 20 }, 'fromJson fromJsonArray'),
  ...costing({ weight: 64, call: 30 }, 'fromYaml fromYamlArray fromToml'),
  ...costing({ weight: 64, call: 20 }, 'tpl'),
  // Keys, beyond the search for primes.
  ...costing({ weight: 16, call: 1_000 }, 'genPrivateKey buildCustomCert'),
  ...costing({ weight: 16, call: 10_000, reads: 'all' }, 'genCA genSelfSignedCert genSignedCert'),
  ...costing({ weight: 16, call: 10_000, reads: 'all' }, 'genCAWithKey genSelfSignedCertWithKey genSignedCertWithKey'),
])

/** A function's cost by its name, which its twin with `must` shares; undefined for the usual. */
export const costOf = (name: string): Cost | undefined => costs.get(name) ?? costs.get(withoutMust(name))

const withoutMust = (name: string): string =>
  name.replace(/^(?:must_?|os)([A-Za-z])/, (_, first: string) => first.toLowerCase())
