import t from 'tap'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { hostSettings } from '../../shared/http/settings/host-settings.ts'
import { startSettings } from '../../shared/main/start/start-settings.ts'
import { lacks, matches } from '../harness/matches.ts'

const read = (given: { flags?: string[]; environment?: Record<string, string> } = {}) =>
  settingsFrom(hostSettings, { program: 'host', flags: [], environment: {}, ...given })

const valuesFor = (given: Parameters<typeof read>[0]) => {
  const reading = read(given)
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

const secret = 'a-secret-of-at-least-32-characters'

t.test('FN-10 without anything given every setting has its default', async t => {
  const settings = valuesFor({})
  t.strictSame(settings.functions, [])
  t.strictSame(settings.webhooksListen, { host: '', port: 9443 })
  t.equal(settings.callerSecret, undefined)
})

t.test('FN-10 a flag wins over the environment, which wins over the default', async t => {
  const environment = { ESPALIER_LISTEN: '127.0.0.1:1', ESPALIER_DRAIN_SECONDS: '7' }
  const settings = valuesFor({ flags: ['--listen', '[::1]:2', '--functions=a, b'], environment })
  t.strictSame(settings.listen, { host: '::1', port: 2 })
  t.equal(settings.drainSeconds, 7)
  t.strictSame(settings.functions, ['a', 'b'])
})

t.test('FN-10 a switch is a flag without a value, and --no- before its name overrides a variable', t => {
  const read = (flags: string[]) =>
    settingsFrom(startSettings, { program: 'start', flags, environment: { ESPALIER_PLANS: 'yes' } })
  matches(t, read(['--no-plans', '--json']), { settings: { plans: 'no', json: 'yes' } })
  matches(t, read(['--no-plans', '--plans']), { settings: { plans: 'yes', json: 'no' } })
  matches(t, read(['--no-state']), { is: 'faults', faults: [/--no-state/] })
  matches(t, read(['--help']), { text: /--\[no-\]plans, ESPALIER_PLANS\n/ })
  t.end()
})

t.test('FN-10 a setting that does not fit is named with its shape and the places to set it', async t => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ ESPALIER_LISTEN: 'eighty' }, /^--listen is "eighty": expected :8080 .* or host:port .*ESPALIER_LISTEN/],
    [{ ESPALIER_LISTEN: '0.0.0.0:99999' }, /^--listen is "0\.0\.0\.0:99999": expected :8080/],
    [
      { ESPALIER_DRAIN_SECONDS: '-1' },
      /^--drain-seconds is "-1": expected seconds from 0 to 300.*ESPALIER_DRAIN_SECONDS/,
    ],
    [{ ESPALIER_DRAIN_SECONDS: '1e3' }, /^--drain-seconds is "1e3"/],
    [{ ESPALIER_TLS: 'yes' }, /^--tls is "yes": expected one of secret, files, off/],
    [{ ESPALIER_TLS_DIRECTORY: '' }, /^--tls-directory is "": expected a path/],
  ]
  for (const [environment, expected] of cases) {
    const reading = read({ environment })
    t.equal(reading.is, 'faults')
    if (reading.is === 'faults') matches(t, reading.faults, [expected])
  }
})

t.test('FN-10 all faults are named at once, and an unknown flag is one', async t => {
  const two = read({ environment: { ESPALIER_LISTEN: 'x', ESPALIER_TLS: 'x' } })
  t.equal(two.is === 'faults' && two.faults.length, 2)
  matches(t, read({ flags: ['--lisen', 'x'] }), { is: 'faults', faults: [/--lisen/] })
})

t.test('FN-10 a setting without default must be given', async t => {
  const table = { place: { ...hostSettings.tlsDirectory, default: undefined } }
  const reading = settingsFrom(table, { program: 'x', flags: [], environment: {} })
  matches(t, reading, {
    is: 'faults',
    faults: [/^--tls-directory is not given: expected a path.*ESPALIER_TLS_DIRECTORY/],
  })
})

t.test('FN-10 a secret is never shown, not even one that does not fit', async t => {
  const short = read({ environment: { ESPALIER_CALLER_SECRET: 'canary' } })
  matches(t, short, { is: 'faults', faults: [/^ESPALIER_CALLER_SECRET is \*{8}: expected at least 32 letters/] })
  lacks(t, JSON.stringify(short), 'canary')
  const printed = read({ flags: ['--print-config'], environment: { ESPALIER_CALLER_SECRET: secret } })
  lacks(t, JSON.stringify(printed), secret)
  matches(t, printed, { is: 'text', text: /callerSecret = \*{8} +# environment: ESPALIER_CALLER_SECRET/ })
  matches(t, read({ flags: ['--caller-secret', secret] }), { is: 'faults' })
})

t.test('FN-10 --print-config shows every setting and where it comes from', async t => {
  const reading = read({ flags: ['--print-config', '--listen', '127.0.0.1:1'] })
  const text = reading.is === 'text' ? reading.text : ''
  for (const name of Object.keys(hostSettings)) matches(t, text, new RegExp(`^${name} = `, 'm'))
  matches(t, text, /^listen = "127\.0\.0\.1:1" +# flag: ESPALIER_LISTEN$/m)
})

t.test('FN-10 --help names every flag and variable with its sentence', async t => {
  const reading = read({ flags: ['--help'] })
  const text = reading.is === 'text' ? reading.text : ''
  for (const { env, sentence } of Object.values(hostSettings)) {
    t.ok(text.includes(env), env)
    t.ok(text.includes(sentence), sentence)
  }
})
