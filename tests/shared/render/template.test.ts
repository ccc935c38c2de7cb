// The template engine besides what functions answer: faults and their places, limits, repeatable randomness, certificates, lookups,
// and templates made at random, which helm and we must render alike.
import crypto, { createPrivateKey, X509Certificate } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { drawFrom } from '../../../shared/render/draw.ts'
import { type Findings, lookupKey, RenderError } from '../../../shared/render/generator.ts'
import {
  Environment,
  execute,
  fn,
  GoMap,
  goValue,
  jsonValue,
  parseTemplates,
} from '../../../shared/render/template/template.ts'
import { contains, lacks, matches, throws } from '../../harness/matches.ts'
import { faults } from './template/faults.ts'
import { generous, generousValues } from './template/generous.ts'
import { context, helmJudge, ours } from './template/oracle.ts'
import { someTemplates } from './template/random-templates.ts'
import { someValues, writings } from './template/random-values.ts'

const complaintOf = (template: string, values: object = {}, environment = new Environment(context())): string => {
  try {
    return `rendered: ${ours(template, values, environment)}`
  } catch (error) {
    if (error instanceof RenderError) return error.message
    throw error
  }
}

/** Helm breaks an error into lines; the words are the same. */
const inOneLine = (complaint: string): string =>
  complaint
    .replace('Use --debug flag to render out invalid YAML', '')
    .replace(/^Error: /, '')
    .replaceAll('template: ', '')
    .replaceAll(': executing', ' executing')
    .replaceAll(/\s+/g, ' ')
    .trim()

t.test('CO-77 faults are told as helm tells them, with file, line and column', async t => {
  const values = { a: {}, text: 'x', n: 5, list: [1], nothing: null }
  const judge = await helmJudge(t)
  const theirs = await Promise.all(faults.map(fault => judge.complaint(fault, values)))
  for (const [index, fault] of faults.entries()) {
    const told = complaintOf(fault, values)
    lacks(t, told, /^rendered/, fault)
    t.equal(inOneLine(told), inOneLine(theirs[index] ?? ''), fault)
  }
  t.equal(
    complaintOf('\n\n{{ .Values.a.b.c }}', values),
    'template: c/templates/x.yaml:3:10: executing "c/templates/x.yaml" at <.Values.a.b.c>: nil pointer evaluating interface {}.c',
  )
})

t.test('CO-77 CO-78 random templates and values are rendered as helm renders them', async t => {
  const judge = await helmJudge(t)
  for (const { values, templates } of someTemplates({ seed: 20260304, rounds: 4, perRound: 100 })) {
    const theirs = await judge.outputs(templates, values)
    for (const [index, template] of templates.entries()) {
      const got = ours(`{{- define "s" }}${template}{{ end }}{{ include "s" . }}`, values)
      t.equal(got, theirs[index], `${template} with ${JSON.stringify(values)}`)
    }
  }
})

t.test('CO-78 random values are written and read as helm does', async t => {
  const judge = await helmJudge(t)
  for (const seed of [100, 101]) {
    const all = someValues(seed, 150)
    const templates = all.flatMap((_, index) =>
      writings.map(writing => `{{ index .Values.all ${index} | ${writing} }}`),
    )
    const theirs = await judge.outputs(templates, { all })
    const wrong = templates.filter((template, index) => ours(template, { all }) !== theirs[index])
    t.strictSame(wrong, [], `seed ${seed}: ${templates.length} writings`)
  }
})

t.test('CO-96 what builds without end, ends in an error that names the place', async t => {
  const deep = 'templates or values are nested too deeply, or their texts are too long'
  const long = 'a template builds a text of more than 20971520 characters, at c/templates/x.yaml:1:'
  const many = 'a template builds a list of more than 10000000 elements, at c/templates/x.yaml:1:'
  const endless: Record<string, [template: string, says: string]> = {
    'include of itself': ['{{ define "t" }}{{ include "t" . }}{{ end }}{{ include "t" . }}', deep],
    'template of itself': ['{{ define "t" }}{{ template "t" . }}{{ end }}{{ template "t" . }}', deep],
    'tpl of itself': ['{{ $_ := set .Values "t" "{{ tpl .Values.t . }}" }}{{ tpl .Values.t . }}', deep],
    'a map in itself': ['{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ mustToJson $d }}', 'encountered a cycle'],
    'a map in itself, printed': ['{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}', deep],
    'parentheses without end': [`{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`, 'max expression depth'],
    'blocks without end': ['{{ if true }}'.repeat(100_000), 'max expression depth'],
    'a billion numbers': ['{{ until 1000000000 }}', many],
    'a billion steps': ['{{ untilStep 0 1000000000 1 }}', many],
    'a sequence of a billion': ['{{ seq 1000000000 }}', many],
    'a billion letters': ['{{ randAlpha 1000000000 }}', many],
    'huge output': [
      '{{ range 1000000 }}{{ "0123456789012345678901234567890123456789" }}{{ end }}',
      'the rendered text has more than 20971520 characters, at c/templates/x.yaml:1:',
    ],
    'a long repeat': ['{{ repeat 1000000000 "x" }}', long],
    'a deep indent': ['{{ indent 100000000 "a\\nb" }}', long],
    'a wide number': ['{{ printf "%999999999d" 1 }}', long],
    'a text that doubles': ['{{ $s := "x" }}{{ range 64 }}{{ $s = print $s $s }}{{ end }}', long],
    'a text that replace blows up': ['{{ $s := repeat 100000 "a" }}{{ replace "a" $s $s }}', long],
    'a text that a pattern blows up': ['{{ $s := repeat 10000 "a" }}{{ regexReplaceAll "a" $s $s }}', long],
  }
  for (const [name, [template, says]] of Object.entries(endless)) contains(t, complaintOf(template), says, name)
})

t.test('CO-96 the place is that of the innermost template', async t => {
  const template = '{{ define "t" }}\n\n{{ repeat 99999999 "x" }}{{ end }}\n{{ include "t" . }}'
  t.equal(
    complaintOf(template),
    'c/templates/x.yaml: a template builds a text of more than 20971520 characters, at c/templates/x.yaml:3:19',
  )
})

t.test('CO-96 what charts do on large values is rendered', async t => {
  for (const [name, template] of Object.entries(generous)) t.ok(ours(template, generousValues), name)
})

const tooDeep = 'c/templates/x.yaml: templates or values are nested too deeply, or their texts are too long'

t.test('CO-96 nesting below the limit is rendered, and beyond it there is one error', async t => {
  const nested =
    '{{ define "t" }}{{ if gt . 0 }}{{ include "t" (sub . 1 | int) }}x{{ end }}{{ end }}{{ include "t" 300 }}'
  t.equal(ours(nested, {}), 'x'.repeat(300))
  const deep =
    '{{ define "t" }}{{ if gt . 0 }}{{ include "t" (sub . 1 | int) }}x{{ end }}{{ end }}{{ include "t" 1001 }}'
  t.equal(complaintOf(deep), tooDeep)
  const frugal =
    '{{ define "t" }}{{ if gt (int .) 0 }}{{ template "t" (sub . 1) }}{{ end }}{{ end }}{{ template "t" 2000 }}'
  const greedy =
    '{{ define "t" }}{{ with . }}{{ range list . }}{{ if true }}{{ trim (print (include "t" (list .))) }}{{ end }}{{ end }}{{ end }}{{ end }}{{ include "t" 1 }}'
  for (const template of [frugal, greedy]) t.equal(complaintOf(template), tooDeep, 'whatever ends first')
})

t.test('CO-95 environment and network are out of reach', async t => {
  matches(t, complaintOf('{{ env "PATH" }}'), /function "env" not defined/)
  matches(t, complaintOf('{{ expandenv "$PATH" }}'), /function "expandenv" not defined/)
  t.equal(ours('[{{ getHostByName "localhost" }}]', {}), '[]')
})

const chancy =
  '{{ randAlphaNum 20 }} {{ randAlpha 5 }} {{ uuidv4 }} {{ randInt 0 1000000 }} {{ shuffle "abcdefghij" }} {{ bcrypt "x" }} {{ encryptAES "k" "v" }} {{ randBytes 8 }} {{ now }} {{ genPrivateKey "ecdsa" }} {{ genPrivateKey "ed25519" }}'

t.test('CO-85 random functions answer the same within a revision and otherwise in the next', async t => {
  const render = (revision: number): string =>
    ours(
      chancy,
      {},
      new Environment(
        context({
          now: new Date(revision * 86_400_000),
          draw: ({ template, call }, bytes) => Buffer.alloc(bytes, `${revision}/${template}/${call};`),
        }),
      ),
    )
  const [first, second] = [render(1), render(2)]
  t.equal(render(1), first)
  t.not(second, first)
  const others = second.split(' ')
  t.strictSame(
    first.split(' ').filter((part, index) => part === others[index] && !/^[+-]|UTC|00:00|PRIVATE|EC|KEY/.test(part)),
    [],
    'each of them',
  )
  t.not(ours('{{ randAlpha 9 }}', {}), ours('{{ $_ := uuidv4 }}{{ randAlpha 9 }}', {}), 'each call draws anew')
})

/** Fields of a certificate function's answer. */
const certificate = (call: string, before = ''): { cert: X509Certificate; key: string; raw: string } => {
  const [cert = '', key = ''] = ours(`${before}{{ $c := ${call} }}{{ $c.Cert }}|{{ $c.Key }}`, {}).split('|')
  return { cert: new X509Certificate(cert), key, raw: cert }
}

t.test('CO-78 CO-85 certificates are what they say', async t => {
  const authority = certificate('genCA "my-ca" 365')
  t.equal(authority.raw, certificate('genCA "my-ca" 365').raw, 'the same again')
  t.ok(authority.cert.ca)
  t.equal(authority.cert.subject, 'CN=my-ca')
  t.equal(authority.cert.validToDate.getTime() - authority.cert.validFromDate.getTime(), 365 * 86_400_000)
  t.ok(authority.cert.verify(authority.cert.publicKey), 'signed by itself')
  t.ok(authority.cert.checkPrivateKey(createPrivateKey(authority.key)))

  const hosts = '(list "10.0.0.1" "fe80::1") (list "a.example.org" "*.b.example.org") 10'
  const self = certificate(`genSelfSignedCert "self" ${hosts}`)
  t.equal(
    self.cert.subjectAltName,
    'DNS:a.example.org, DNS:*.b.example.org, IP Address:10.0.0.1, IP Address:FE80:0:0:0:0:0:0:1',
  )
  t.notOk(self.cert.ca)
  t.ok(self.cert.verify(self.cert.publicKey))
  t.strictSame(self.cert.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])

  const ca = '{{ $ca := genCA "my-ca" 365 }}'
  const signed = certificate(`genSignedCert "server" nil (list "x.svc") 10 $ca`, ca)
  t.equal(signed.cert.issuer, 'CN=my-ca')
  t.ok(signed.cert.checkIssued(authority.cert))
  t.ok(signed.cert.verify(authority.cert.publicKey), 'signed by the authority')
  t.equal(signed.cert.subjectAltName, 'DNS:x.svc')
})

t.test('CO-78 keys of every kind, and certificates from given keys', async t => {
  for (const kind of ['ecdsa', 'ed25519']) {
    const before = `{{ $k := genPrivateKey "${kind}" }}`
    const made = certificate('genCAWithKey "ca" 10 $k', before)
    t.ok(made.cert.verify(made.cert.publicKey), `${kind}: signed by itself`)
    t.equal(made.raw, certificate('genCAWithKey "ca" 10 $k', before).raw, `${kind}: the same again`)
    const leaf = certificate('genSignedCertWithKey "a" nil nil 5 (genCAWithKey "ca" 10 $k) $k', before)
    t.ok(leaf.cert.verify(made.cert.publicKey), `${kind}: signed by the authority`)
    const self = certificate('genSelfSignedCertWithKey "a" (list "1.2.3.4") nil 5 $k', before)
    t.equal(self.cert.subjectAltName, 'IP Address:1.2.3.4')
  }
  const key = createPrivateKey(ours('{{ genPrivateKey "rsa" }}', {}))
  t.equal(key.asymmetricKeyDetails?.modulusLength, 4096)
  const dsa = ours('{{ genPrivateKey "dsa" }}', {})
  matches(t, dsa, /^-----BEGIN DSA PRIVATE KEY-----\n/)
  t.equal(createPrivateKey(dsa).asymmetricKeyDetails?.modulusLength, 2048)
  t.equal(ours('{{ genPrivateKey "x" }}', {}), 'Unknown type x')
  matches(t, complaintOf('{{ genSelfSignedCert "a" (list "nope") nil 1 }}'), /error parsing ip: nope/)
  matches(t, complaintOf('{{ buildCustomCert "!" "!" }}'), /unable to decode base64 certificate/)
  const custom =
    '{{ $c := genCA "ca" 1 }}{{ $d := buildCustomCert ($c.Cert | b64enc) ($c.Key | b64enc) }}{{ eq $c.Cert $d.Cert }}{{ eq $c.Key $d.Key }}'
  t.equal(ours(custom, {}), 'truetrue')
})

t.test('CO-82 lookups are answered from what was found; what was not is asked for, all at once', async t => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'n' } }
  const question = { apiVersion: 'v1', kind: 'Pod', namespace: 'n', in: 'target' } as const
  const template =
    '{{ (lookup "v1" "Pod" "n" "a").metadata.name }}|{{ len (lookup "v1" "Pod" "n" "").items }}|{{ lookup "v1" "Pod" "n" "gone" }}|{{ len (lookupList "v1" "Pod" "n" "app=x").items }}'
  const asking = new Environment(context())
  const asked =
    '{{ lookup "v1" "Pod" "n" "a" }}{{ lookup "v1" "Pod" "n" "" }}{{ mustLookup "v1" "Pod" "n" "gone" }}{{ lookupList "v1" "Pod" "n" "app=x" }}{{ localLookup "v1" "Secret" "n" "s" }}{{ lookupWithKubeConfig "v1" "Pod" "n" "a" "conf" }}'
  t.equal(ours(asked, {}, asking), 'map[]'.repeat(6))
  t.strictSame(
    [...asking.needs.values()],
    [
      { ...question, name: 'a' },
      { ...question, name: '' },
      { ...question, name: 'gone' },
      { ...question, name: '', labelSelector: 'app=x' },
      { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's', in: 'local' },
      { ...question, name: 'a', in: { kubeconfig: 'conf' } },
    ],
  )
  const found: Findings = new Map<string, KubeObject | KubeObject[] | undefined>([
    [lookupKey({ ...question, name: 'a' }), pod],
    [lookupKey({ ...question, name: '' }), [pod, pod]],
    [lookupKey({ ...question, name: 'gone' }), undefined],
    [lookupKey({ ...question, name: '', labelSelector: 'app=x' }), [pod]],
  ])
  const answered = new Environment(context({ found }))
  t.equal(ours(template, {}, answered), 'a|2|map[]|1')
  t.equal(answered.needs.size, 0)
  throws(
    t,
    () => ours('{{ mustLookup "v1" "Pod" "n" "gone" }}', {}, new Environment(context({ found }))),
    /error calling mustLookup: Pod n\/gone not found/,
  )
})

t.test('CO-82 no primes are searched for in a run that is thrown away, as a lookup is open', async t => {
  const asked = '{{ $_ := lookup "v1" "Secret" "n" "s" }}'
  const authority = '{{ $ca := genCA "ca" 1 }}{{ $ca.Key }}'
  const others = '{{ (genSignedCert "a" nil nil 1 $ca).Key }}{{ genPrivateKey "rsa" }}{{ genPrivateKey "dsa" }}'
  const open = ours(asked + authority + others, {}, new Environment(context()))
  t.strictSame(open.match(/(?<=BEGIN )\w+/g), ['EC', 'EC', 'EC', 'EC'])
  const question = { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's', in: 'target' } as const
  const found: Findings = new Map([[lookupKey(question), undefined]])
  const answered = ours(asked + authority, {}, new Environment(context({ found })))
  t.equal(answered, ours(authority, {}), 'the same key as ever')
  matches(t, answered, /BEGIN RSA PRIVATE KEY/)
})

t.test('CO-82 a prime that was searched for is known when the same revision is rendered again', async t => {
  const searched = countPrimes(t)
  const authority = (parts: Parameters<typeof context>[0]) =>
    ours('{{ (genCA "ca" 1).Key }}{{ lookup "v1" "Secret" "n" "s" }}', {}, new Environment(context(parts)))
  const first = authority({ draw: drawFrom({ ...seed, revision: 1 }) })
  t.ok(searched() > 0)
  t.equal(authority({ draw: drawFrom({ ...seed, revision: 1 }) }), first, 'as after the look-up')
  t.equal(searched(), 0)
  t.not(authority({ draw: drawFrom({ ...seed, revision: 2 }) }), first)
  t.ok(searched() > 0, 'another revision has keys of its own')
})

const seed = { key: new Uint8Array(32), uid: 'primes' }

/** How many numbers were tried since it was asked last. */
const countPrimes = (t: Test): (() => number) => {
  const { checkPrimeSync } = crypto
  let count = 0
  const replace = (check: typeof checkPrimeSync): void => {
    crypto.checkPrimeSync = check
    syncBuiltinESMExports()
  }
  replace((...given) => {
    count++
    return checkPrimeSync(...given)
  })
  t.teardown(() => replace(checkPrimeSync))
  return () => {
    const counted = count
    count = 0
    return counted
  }
}

t.test('CO-78 <no value> becomes empty', async t => {
  t.equal(ours('[{{ .Values.a.b }}{{ .Values.c }}{{ tpl "{{ .Values.c }}" . }}]', { a: {} }), '[]')
  t.equal(ours('[{{ print "<no value>" }}]', {}), '[]', 'also where a template says so itself')
})

t.test('CO-78 functions that Helm does not have compute bits and addresses', async t => {
  const cases: [template: string, output: string][] = [
    ['{{ bitwiseShiftLeft 2 5 }} {{ bitwiseShiftRight 1 5 }} {{ bitwiseAnd 6 3 }}', '20 2 2'],
    ['{{ bitwiseOr 6 3 }} {{ bitwiseXor 6 3 }} {{ 5.0 | bitwiseShiftLeft 1 }}', '7 5 10'],
    [
      '{{ parseIPv4Address "10.0.0.1" }} {{ formatIPv4Address (add (parseIPv4Address "10.0.0.255") 1) }}',
      '167772161 10.0.1.0',
    ],
    [
      '{{ mustFromYaml "a: 1" }} {{ mustToYaml (dict "a" 1) }} {{ mustFromJson "[1]" }} {{ mustFromYamlArray "[1]" }}',
      'map[a:1] a: 1 [1] [1]',
    ],
  ]
  for (const [template, output] of cases) t.equal(ours(template, {}), output)
  matches(t, complaintOf('{{ parseIPv4Address "10.0.0" }}'), /invalid IPv4 address: "10.0.0"/)
  matches(t, complaintOf('{{ mustFromYaml "a: b: c" }}'), /error calling mustFromYaml: error converting YAML to JSON/)
  matches(t, complaintOf('{{ mustFromYaml "[1]" }}'), /cannot unmarshal array into Go value of type map/)
})

t.test('RE-22 __proto__, constructor and toString are keys like any others', async t => {
  const values = JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": 2}, "toString": 3}')
  const own = '{{ toJson .Values }}|{{ .Values.toString }}|{{ .Values.valueOf }}|{{ hasKey .Values "hasOwnProperty" }}'
  t.equal(ours(own, values), '{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3}|3||false')
  const made =
    '{{ $d := dict }}{{ $_ := set $d "__proto__" (dict "polluted" 1) }}{{ $d = merge $d (fromYaml "__proto__: {more: 2}") }}{{ toYaml $d }}'
  t.equal(ours(made, {}), '__proto__:\n  more: 2\n  polluted: 1')
  matches(t, complaintOf('{{ __proto__ }}'), /function "__proto__" not defined/)
  matches(t, complaintOf('{{ constructor }}'), /function "constructor" not defined/)
  t.equal(JSON.stringify(jsonValue(goValue(values))), JSON.stringify(values))
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('CO-86 other delimiters and functions of the caller', async t => {
  const set = parseTemplates([{ name: 'k', text: 'a [[ shout .x ]] {{ .x }}[[- /* c */ -]] !' }], {
    delimiters: { left: '[[', right: ']]' },
    functions: { shout: fn('string', text => text.toUpperCase()) },
  })
  t.equal(execute(set, 'k', new GoMap([['x', 'hi']]), new Environment(context())), 'a HI {{ .x }}!')
})

t.test('values that templates change are changed for the templates after them', async t => {
  const files = [
    { name: 'a', text: '{{ $_ := set .Values "seen" "yes" }}' },
    { name: 'b', text: '{{ .Values.seen }}' },
  ]
  const set = parseTemplates(files)
  const data = goValue({ Values: {} })
  const environment = new Environment(context())
  t.equal(execute(set, 'a', data, environment) + execute(set, 'b', data, environment), 'yes')
})

t.test('bytes that are no text come through unchanged', async _t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      const encoded = Buffer.from(bytes).toString('base64')
      const decoded = ours(`{{ b64dec "${encoded}" }}`, {})
      return Buffer.from(decoded, 'latin1').equals(bytes) && ours(`{{ b64dec "${encoded}" | b64enc }}`, {}) === encoded
    }),
    { seed: 7, numRuns: 200 },
  )
})
