// Templates that stay within the steps of the language and would take minutes all the same: each calls, again and again, a function
// on something large, or one that is dear whatever it is given.

const again = (use: string): string => `{{ range $i := until 100000 }}{{ $_ := ${use} }}{{ end }}`

/** A text as long as one may be, and short ones that functions make much of. */
const long = '{{ $s := repeat 10000000 "x" }}'
const medium = '{{ $s := repeat 2000000 "x, " }}'
const listed = '{{ $l := until 50000 }}'
const mapped = '{{ $m := dict }}{{ range until 5000 }}{{ $_ := set $m (print .) (list . "text") }}{{ end }}'

const onTexts = {
  digests: ['sha1sum $s', 'sha256sum $s', 'sha512sum $s', 'adler32sum $s', 'encryptAES "k" $s'],
  cases: [
    'upper $s',
    'lower $s',
    'title $s',
    'untitle $s',
    'swapcase $s',
    'camelcase $s',
    'snakecase $s',
    'initials $s',
  ],
  pieces: ['len $s', 'trunc 5 $s', 'substr 1 5 $s', 'abbrev 9 $s', 'index $s 3', 'contains "y" $s', 'hasPrefix $s $s'],
  edits: ['replace "y" "z" $s', 'trim $s', 'trimAll "x" $s', 'nospace $s', 'wrap 80 $s', 'indent 2 $s', 'nindent 2 $s'],
  codes: ['b64enc $s', 'b64dec $s', 'b32enc $s', 'b32dec $s', 'urlquery $s', 'html $s', 'js $s'],
  prints: ['quote $s', 'squote $s', 'print $s', 'printf "%q" $s', 'cat $s $s', 'toString $s', 'join "," (list $s)'],
  lists: ['split "," $s', 'splitList "," $s', 'splitn "," 2 $s', 'sortAlpha (list $s $s)', 'shuffle $s'],
  numbers: ['int $s', 'float64 $s', 'atoi $s', 'add $s 1', 'addf $s 1', 'toDecimal $s', 'lt $s $s', 'bitwiseAnd $s 1'],
  documents: [
    'fromJson $s',
    'fromYaml $s',
    'fromYamlArray $s',
    'fromToml $s',
    'toJson $s',
    'toYaml $s',
    'toPrettyJson $s',
  ],
  patterns: ['regexMatch "y" $s', 'regexFind "y" $s', 'regexReplaceAll "y" $s ""', 'regexSplit "y" $s -1'],
  others: ['tpl $s $', 'semver $s', 'urlParse $s', 'clean $s', 'regexQuoteMeta $s', 'dict $s 1', 'toDate "2006" $s'],
}

const onLists = [
  'append $l 1',
  'prepend $l 1',
  'concat $l $l',
  'slice $l 1',
  'chunk 9 $l',
  'compact $l',
  'reverse $l',
  'rest $l',
]
const onLongerLists = [
  'uniq $l',
  'without $l 1',
  'has -1 $l',
  'toYaml $l',
  'toJson $l',
  'toString $l',
  'deepCopy $l',
  'join "," $l',
]
const onMaps = [
  'keys $m',
  'values $m',
  'pick $m "a"',
  'omit $m "a"',
  'toYaml $m',
  'toJson $m',
  'toToml $m',
  'merge (dict) $m',
]

const dear = ['genPrivateKey "rsa"', 'genPrivateKey "ecdsa"', 'genCA "a" 1', 'derivePassword 1 "long" "a" "b" "c"']
const key = '{{ $k := genPrivateKey "ecdsa" }}'
const days = '{{ $d := now }}'

const many = (text: (index: number) => string): string =>
  Array.from({ length: 5_000 }, (_, index) => text(index)).join('')

const eachOf = (uses: readonly string[], before: string): [string, string][] =>
  uses.map(use => [use, before + again(use)])

/** By what they do. */
export const hostile: Readonly<Record<string, string>> = Object.fromEntries([
  ...eachOf(Object.values(onTexts).flat(), long),
  ...eachOf([...onLists, ...onLongerLists], listed),
  ...eachOf(onMaps, mapped),
  ...eachOf(dear, ''),
  ...eachOf(['genCAWithKey "a" 1 $k'], key),
  ...eachOf(['date $s $d', 'dateInZone "2006" $d "Europe/Paris"'], medium + days),
  ['matches that look ahead to the end', `${medium}${again('regexReplaceAll "x, x.*y|x" $s ""')}`],
  ['a pattern of many instructions', `${medium}${again('regexFind "(x?, ?){1,400}y" $s')}`],
  ['patterns never seen before', again('regexMatch (printf "a{500}b{300}%d" $i) "a"')],
  [
    'a range over a large map that ends at once',
    `${mapped}{{ range until 100000 }}{{ range $m }}{{ break }}{{ end }}{{ end }}`,
  ],
  ['texts that tpl takes for templates', `{{ $s := repeat 20000 "{{ 1 }}" }}${again('tpl $s $')}`],
  ['templates that tpl may call', many(index => `{{ define "t${index}" }}x{{ end }}`) + again('tpl "x" $')],
  ['a variable behind many others', `${many(index => `{{ $v${index} := 1 }}`)}{{ range 9000000 }}{{ $v0 }}{{ end }}`],
])
