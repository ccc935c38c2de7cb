// What `npm start` is made of, without clusters of its own.
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { espalierAnnotations } from '../../../shared/core/objects/steering.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { namespaces } from '../../../shared/deploy/manifests/layouts.ts'
import { AccessError, ApiError, ConnectionError } from '../../../shared/kube/errors.ts'
import { ownKubeconfigAccess } from '../../../shared/kube/kubeconfigs/own-kubeconfig.ts'
import { servedOf } from '../../../shared/main/landscape.ts'
import { install, installation } from '../../../shared/main/start/install.ts'
import { firstPort, portCount, startPorts } from '../../../shared/main/start/ports.ts'
import { resultText, stateNow } from '../../../shared/main/start/progress.ts'
import { sampleStateOf, samples, samplesFor } from '../../../shared/main/start/samples.ts'
import { environmentText, makeDataFolder, stateLog, takeStateFolder } from '../../../shared/main/start/state-folder.ts'
import { terminal, wrapped } from '../../../shared/main/start/terminal.ts'
import { lacks, matches, rejects } from '../../harness/matches.ts'

/** Keeps the lines. */
const listening = () => {
  const lines: string[] = []
  return { lines, line: (what: string, about: string) => void lines.push(`${what} ${about}`) }
}

const silence = new ConnectionError('silent', 'UND_ERR_HEADERS_TIMEOUT', 'no answer in 30 s')
const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }

t.test('FN-115 what npm start applies is tried again after a slow, odd or failing answer, and says so', async t => {
  const busy = new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'away' })
  const attempts = [silence, busy, new TypeError("reading 'length'")].map(async error => {
    const errors = [error, error]
    const heard = listening()
    const apply = async () => {
      const next = errors.shift()
      if (next) throw next
      return { object: namespace, changed: true }
    }
    await install({ apply } as unknown as Parameters<typeof install>[0], [[namespace]], heard)
    t.strictSame(heard.lines, [`… Namespace shop: ${error.message}; retrying`])
  })
  await Promise.all(attempts)
})

t.test('FN-115 what another try would not change ends npm start with the name of the object', async t => {
  for (const error of [
    new ApiError({ code: 403, reason: 'Forbidden', message: 'not for you' }),
    new AccessError('Refused', 'not for you'),
  ]) {
    let tries = 0
    const apply = async () => {
      tries++
      throw error
    }
    await rejects(t, install({ apply }, [[namespace]]), { message: 'Namespace shop: not for you' })
    t.equal(tries, 1)
  }
})

t.test('FN-115 a sample that cannot be read, or whose status is odd, is looked at again', async t => {
  const ref = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden', namespace: '', name: 'garden' }
  const unread = { get: () => Promise.reject(silence) }
  t.strictSame(await stateNow(unread, ref), { isDone: false, text: 'cannot be read now: no answer in 30 s' })
  const odd = { ...ref, metadata: { name: 'garden' }, status: { lastOperation: { description: null } } }
  matches(t, await stateNow({ get: async () => odd } as unknown as Parameters<typeof stateNow>[0], ref), {
    isDone: false,
    text: /^cannot be read now: Cannot read/,
  })
})

t.test('FN-117 a folder that cannot be made is named, with the flag and the reason', async t => {
  const state = t.testdir({ file: 'x' })
  const refused = (folder: string, take = takeStateFolder): string => {
    try {
      take(folder)
    } catch (error) {
      return String(error)
    }
    return ''
  }
  const text = (folder: string, reason: string, flag = '--state') =>
    `Error: the folder ${folder} of ${flag} cannot be used: ${reason}`
  const below = join(state, 'file', 'x')
  for (const file of [below, join(state, 'file')]) t.equal(refused(file), text(file, 'a part of its path is a file'))
  t.equal(refused('/proc/espalier'), text('/proc/espalier', 'no folder can be created there'))
  const isFile = 'a part of its path is a file'
  for (const file of [below, join(state, 'file')]) t.equal(refused(file, makeDataFolder), text(file, isFile, '--data'))
  for (const folder of ['/proc', '/proc/espalier'])
    t.equal(refused(folder, makeDataFolder), text(folder, 'no folder can be created there', '--data'))
  makeDataFolder(join(state, 'data', 'new'))
  t.equal(statSync(join(state, 'data', 'new')).mode & 0o777, 0o700)
  takeStateFolder(join(state, 'new', 'folder'))
  t.ok(existsSync(join(state, 'new', 'folder', 'logs')))
})

t.test('FN-117 a log that cannot be written, as on a full disk, is named once and ends nothing', async t => {
  const file = join(t.testdir(), 'full.log')
  symlinkSync('/dev/full', file)
  const told: string[] = []
  const log = stateLog(file, { failed: message => void told.push(message), threw: () => undefined })
  for (let line = 0; line < 3; line++) log.info({}, 'hello')
  t.equal(told.length, 1)
  matches(t, told[0], new RegExp(`^the log ${file} cannot be written: ENOSPC`))
})

t.test('FW-29 what a function throws is said once, with the place in its code, and the log has it each time', t => {
  const file = join(t.testdir(), 'espalier.log')
  const said: string[] = []
  const log = stateLog(file, { failed: () => undefined, threw: message => void said.push(message) })
  const err = new TypeError('x is undefined')
  const place = 'at decide (file:///work/shop/functions/shop/decide.ts:7:3)'
  err.stack = `TypeError: x is undefined\n    at own (file:///work/shop/node_modules/a.mjs:1:1)\n    ${place}\n    at b`
  const fields = { function: 'shop', object: 'default/a', code: 'internal', err }
  for (let call = 0; call < 3; call++) log.error(fields, 'refused')
  log.error({ ...fields, object: 'default/b' }, 'refused')
  log.error({ ...fields, code: 'trouble' }, 'refused')
  t.strictSame(said, [`shop default/a: x is undefined, ${place}`, `shop default/b: x is undefined, ${place}`])
  t.equal(readFileSync(file, 'utf8').split('\n').length, 6)
  t.end()
})

t.test('FN-118 ports: seven from the given one on, or free ones; a taken one is named', async t => {
  const heard = listening()
  const server = createServer()
  // Systems give free ports from 32768 on, so no other test has the one below by chance.
  const taken = 21_000 + (process.pid % 10_000)
  await new Promise<void>((resolve, reject) => server.listen(taken, '127.0.0.1', resolve).once('error', reject))
  t.teardown(() => server.close())
  await rejects(t, startPorts(taken - 1, heard), {
    message: new RegExp(
      `^port ${taken} of 127\\.0\\.0\\.1, one of the 7 ports from --port ${taken - 1} on, is in use: stop the`,
    ),
  })
  const free = Object.values(await startPorts(0, heard))
  t.equal(new Set(free).size, portCount)
  lacks(t, free.join(), new RegExp(`\\b(0|${taken})\\b`))
  t.strictSame(heard.lines, [])
  const usual = Array.from({ length: portCount }, (_, index) => firstPort + index)
  const first = Object.values(await startPorts(undefined, heard))
  if (heard.lines.length === 0) t.strictSame(first, usual)
  const blocking = createServer()
  await new Promise<void>(resolve =>
    blocking.listen(firstPort + 2, '127.0.0.1', resolve).once('error', () => resolve()),
  )
  t.teardown(() => blocking.close())
  const others = listening()
  const instead = Object.values(await startPorts(undefined, others))
  lacks(t, instead.join(), new RegExp(`\\b${firstPort + 2}\\b`))
  matches(
    t,
    others.lines[0],
    /^ports 127\.0\.0\.1:\d+ is in use, so this process uses free ports instead of 7440 to 7446$/,
  )
})

t.test('FN-119 the file env sets KUBECONFIG, wherever it is sourced and whatever the folder is called', async t => {
  t.equal(environmentText("/tmp/o'hara/kubeconfig"), `export KUBECONFIG='/tmp/o'\\''hara/kubeconfig'\n`)
})

t.test('SEE-88 the file env has the settings of the host on which plans depend', async t => {
  const text = environmentText('/a', ['--chart-root=/b', "--kyma-registry=o'hara=1"])
  t.equal(
    text.slice(text.indexOf('\n') + 1),
    `export ESPALIER_CHART_ROOT='/b'\nexport ESPALIER_KYMA_REGISTRY='o'\\''hara=1'\n`,
  )
})

t.test('SEE-88 npm start marks the namespace of Espalier, and no other', t => {
  const installs = installation(readLandscape('serverless.yml'), { withWebhooks: false }).flat()
  const marked = installs.filter(({ metadata }) => metadata.annotations?.[espalierAnnotations.inProcess] === 'yes')
  t.strictSame(marked.map(refOf).map(refText), ['Namespace espalier-system'])
  t.end()
})

t.test('FN-121 npm start of some functions makes the namespaces that they have roles in, and no other', t => {
  const made = (...functions: string[]) =>
    namespaces(servedOf(readLandscape('serverless.yml'), functions)).map(({ metadata }) => metadata.name)
  t.strictSame(made('component'), ['espalier-system'])
  t.strictSame(made('garden-care'), ['espalier-system', 'garden'])
  t.strictSame(made('istio'), ['espalier-system', 'kyma-system'])
  t.ok(made('manifest').includes('kcp-system'))
  t.ok(made().length > 4)
  t.end()
})

t.test('FN-120 lines have at most 100 columns, and no reason is cut', async t => {
  const reason = Array.from({ length: 60 }, (_, index) => `reason-${index}`).join(' ')
  const lines = wrapped(reason, 11).split('\n')
  t.ok(lines.every(line => line.length <= 100))
  t.ok(lines.slice(1).every(line => /^ {11}\S/.test(line)))
  t.equal(lines.map(line => line.trim()).join(' '), reason)
  const long = 'x'.repeat(150)
  t.equal(wrapped(`a ${long} b`, 2), `a\n  ${long}\n  b`, 'a word is never broken, so it can be copied')
  const lastOperation = { state: 'Processing', progress: 9, description: `Waiting for ${reason}; b; c; d` }
  const garden = { ...namespace, kind: 'Garden', status: { lastOperation } }
  const state = sampleStateOf(garden)
  t.equal(state?.text, `9 %, Waiting for ${reason}; b; and 2 more`)
  const text = resultText([{ object: 'Garden garden', state: state ?? { isDone: true, text: '' } }])
  t.ok(text.replace(/\s+/g, ' ').includes(`${reason}; b; c; d`))
  t.ok(text.split('\n').every(line => line.length <= 100))
})

t.test('FN-121 the samples are those that the functions serve', async t => {
  t.strictSame(samplesFor(['istio', 'component', 'manifest']), ['component', 'istio'])
  const kinds = (names: Parameters<typeof samples>[0]) => new Set(samples(names).map(({ kind }) => kind))
  t.ok(kinds(['garden']).has('Garden'))
  t.notOk(kinds(['garden']).has('Component'))
  t.strictSame(samples([]), [])
})

t.test('FN-121 with --json each line is an object, with --quiet only the result is printed', async t => {
  const write = t.capture(process.stdout, 'write', () => true)
  const data = { open: [] }
  for (const form of [
    { isJson: true, isQuiet: false },
    { isJson: true, isQuiet: true },
    { isJson: false, isQuiet: true },
  ]) {
    const shell = terminal(form)
    shell.line('host', 'http://127.0.0.1:1')
    shell.result('all is well', data)
  }
  write.restore()
  t.strictSame(
    write().map(({ args }) => args[0]),
    ['{"what":"host","about":"http://127.0.0.1:1"}\n', '{"open":[]}\n', '{"open":[]}\n', 'all is well\n'],
  )
})

t.test('SEE-58 npm start prints no escape sequence from a cluster', async t => {
  const write = t.capture(process.stdout, 'write', () => true)
  const shell = terminal({ isJson: false, isQuiet: false })
  shell.line('host', '\u001b[2J')
  shell.result('\u001b[2J', {})
  write.restore()
  t.strictSame(
    write().map(({ args }) => args[0]),
    ['host       \ufffd[2J\n', '\ufffd[2J\n'],
  )
})

t.test('FN-122 a kubeconfig that is empty, or not there, is named', async t => {
  const dir = t.testdir({ empty: '' })
  for (const name of ['empty', 'absent']) {
    const file = join(dir, name)
    await rejects(t, ownKubeconfigAccess({ files: [file] }), {
      message: new RegExp(`^the kubeconfig ${file} cannot be read: `),
    })
  }
})
