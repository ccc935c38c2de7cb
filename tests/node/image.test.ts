// The image of this commit, looked into and started as a container: by runc, without privileges, on a root that nobody can write.
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { requirePrograms } from '../harness/image/buildah.ts'
import { makeImage } from '../harness/image/image.ts'
import { baseImages } from '../harness/image/recipe.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { testFolder } from '../harness/test-folder.ts'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const folder = testFolder(t)
await requirePrograms({ runc: 'runc' })
const image = await makeImage(join(folder, 'first'))

type Config = {
  config: { User: string; Entrypoint: string[]; Cmd: string[]; WorkingDir: string; Env: string[]; Labels: object }
}
const inspected = JSON.parse(await image.buildah('inspect', '--type=image', image.name)) as { OCIv1: Config }
const { config } = inspected.OCIv1

/** The files of an image, as a folder. */
const mounted = async (name: string): Promise<string> => {
  const container = await image.buildah('from', '--pull=never', name)
  t.teardown(() => image.buildah('rm', container))
  return image.buildah('mount', container)
}
const base = await mounted(baseImages(readFileSync(join(root, 'Dockerfile'), 'utf8')).base)
const files = await mounted(image.name)

const pathsIn = async (folder: string): Promise<string[]> => {
  const { stdout } = await run('find', ['.', '-mindepth', '1', '-printf', '%P\n'], { cwd: folder, maxBuffer: 2 ** 26 })
  return stdout.trim().split('\n')
}

t.test('FN-181 the image has the programs, what they read, and the licence, and nothing else beside Node', async t => {
  const inBase = new Set(await pathsIn(base))
  const ours = (await pathsIn(files)).filter(path => !inBase.has(path))
  const kinds = [
    /^espalier$/,
    /^espalier\/LICENSE$/,
    /^espalier\/dist$/,
    /^espalier\/dist\/[\w.-]+\.mjs(\.LEGAL\.txt)?$/,
  ]
  const manifests = /^espalier\/dist\/manifests(\/(istio|garden)(\/.*)?)?$/
  t.strictSame(
    ours.filter(path => ![...kinds, manifests].some(kind => kind.test(path))),
    [],
  )
  for (const program of ['host', 'relay', 'renderer', 'runtime-watcher'])
    t.ok(ours.includes(`espalier/dist/${program}.mjs`), program)
  t.equal(readFileSync(join(files, 'espalier/LICENSE'), 'utf8'), readFileSync(join(root, 'LICENSE'), 'utf8'))
  const everything = (await pathsIn(files)).join('\n')
  for (const unwanted of [/(^|\/)npm($|\/)/m, /node_modules/, /\.ts$/m, /(^|\/)(ba)?sh$/m, /esbuild|fast-check|tapjs/])
    lacks(t, everything, unwanted)
  const { stdout } = await run('du', ['-sb', join(files, 'espalier'), files])
  const [own = 0, whole = 0] = stdout.split('\n').map(line => Number.parseInt(line, 10))
  t.comment(`MB: ${own / 1e6} ours, ${whole / 1e6} with Node, ${statSync(image.archive).size / 1e6} packed`)
  t.ok(own < 30e6, 'ours are at most 30 MB')
})

t.test('FN-182 labels say what it is and which commit it is of, and an SBOM what is bundled in it', async t => {
  const { stdout: revision } = await run('git', ['rev-parse', 'HEAD'], { cwd: root })
  matches(t, config.Labels, {
    'org.opencontainers.image.title': 'espalier',
    'org.opencontainers.image.licenses': manifest.license,
    'org.opencontainers.image.description': manifest.description,
    'org.opencontainers.image.version': manifest.version,
    'org.opencontainers.image.revision': (found: string) => found.startsWith(revision.trim()),
    'org.opencontainers.image.created': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/,
  })
  const sbom = JSON.parse(readFileSync(image.sbom, 'utf8')) as { components: { name: string; group?: string }[] }
  const listed = sbom.components.map(({ name, group }) => (group ? `${group}/${name}` : name))
  const { stdout } = await run('grep', ['-rhoE', '^// node_modules/(@[^/]+/)?[^/]+', join(files, 'espalier/dist')])
  const bundled = [...new Set(stdout.trim().split('\n'))].map(line => line.replace('// node_modules/', ''))
  t.ok(bundled.length > 20, `${bundled.length} packages are bundled`)
  t.strictSame(
    bundled.filter(name => !listed.includes(name)),
    [],
  )
  t.notOk(listed.includes('esbuild'), 'no package that only builds or tests')
})

t.test('FN-183 a second build of the commit has the same digest and the same SBOM', async t => {
  const second = await makeImage(join(folder, 'second'))
  t.equal(second.digest, image.digest)
  t.equal(readFileSync(second.sbom, 'utf8'), readFileSync(image.sbom, 'utf8'))
})

/** What runc runs: the image's files and user, what Kubernetes' restricted standard leaves of rights, and the network of this machine. */
const bundle = (t: Test, args: readonly string[], mounts: readonly object[] = []): string => {
  const folder = testFolder(t)
  const [uid = 0, gid = 0] = config.User.split(':').map(Number)
  const proc = { destination: '/proc', type: 'proc', source: 'proc' }
  const dev = { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] }
  const none = { bounding: [], effective: [], permitted: [] }
  const content = {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args,
      env: config.Env,
      cwd: config.WorkingDir,
      noNewPrivileges: true,
      capabilities: none,
    },
    root: { path: files, readonly: true },
    mounts: [proc, dev, ...mounts],
    linux: { namespaces: ['pid', 'mount', 'ipc', 'uts'].map(type => ({ type })) },
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(content))
  return folder
}

const name = (t: Test): string => `espalier-image-${process.pid}-${t.name.length}`
const [node = ''] = config.Entrypoint

t.test('FN-181 as user 65532 it can write nothing, and has neither a shell nor npm', async t => {
  const script = `
    const { writeFileSync } = require('fs'), { spawnSync } = require('child_process')
    const codeOf = act => { try { act(); return 'written' } catch (error) { return error.code } }
    const at = ['/espalier/dist/x', '/x', '/tmp/x'].map(path => codeOf(() => writeFileSync(path, '')))
    const programs = ['sh', 'npm'].map(program => spawnSync(program, []).error?.code)
    console.log(JSON.stringify({ uid: process.getuid(), at, programs }))`
  const { stdout } = await run('runc', ['run', '--bundle', bundle(t, [node, '--eval', script]), name(t)])
  t.strictSame(JSON.parse(stdout), { uid: 65532, at: ['EROFS', 'EROFS', 'EROFS'], programs: ['ENOENT', 'ENOENT'] })
})

t.test('FN-181 host, relay and agent print their settings when they are asked for help', async t => {
  for (const program of ['host', 'relay', 'runtime-watcher']) {
    const args = [node, `dist/${program}.mjs`, '--help']
    const { stdout } = await run('runc', ['run', '--bundle', bundle(t, args), name(t)])
    contains(t, stdout, '--log-level', program)
  }
})

t.test('FN-181 what the image runs by itself is a host of all functions', async t => {
  const cluster = await startEmbeddedCluster()
  t.teardown(() => cluster.stop())
  const account = join(testFolder(t), 'account')
  mkdirSync(account)
  writeFileSync(join(account, 'token'), cluster.adminToken)
  writeFileSync(join(account, 'ca.crt'), cluster.caCert)
  const mount = { destination: '/tmp', type: 'bind', source: account, options: ['bind', 'ro'] }
  const access = [`--api-server=${cluster.url}`, '--service-account=/tmp', '--tls=off']
  const listens = ['--listen=127.0.0.1:0', '--probes-listen=', '--webhooks-listen=127.0.0.1:0']
  const args = [...config.Entrypoint, ...config.Cmd, ...access, ...listens]
  const child = spawn('runc', ['run', '--bundle', bundle(t, args, [mount]), name(t)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => run('runc', ['kill', name(t), 'KILL']).catch(() => undefined))
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, addresses } = JSON.parse(line)
    if (msg !== 'listening') continue
    const answer = await fetch(`http://127.0.0.1:${addresses.functions.port}/version`)
    matches(t, await answer.json(), { functions: (found: string[]) => found.includes('kyma') && found.length > 10 })
    return
  }
  t.fail('it said nowhere that it listens')
})
