// `espalier init` in the hands of a stranger: each kind of operator is made from the package in an empty folder, tested, started and changed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { ownKubeconfigAccess } from '../../../shared/kube/kubeconfigs/own-kubeconfig.ts'
import { objectsIn } from '../../../shared/main/start/install.ts'
import {
  done,
  fetchedProgram,
  going,
  install,
  installedIn,
  packedPackage,
  shell,
} from '../../harness/framework/package.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { freePorts } from '../../harness/processes/ports.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { until } from '../../harness/until.ts'

const { tarball } = await packedPackage()
const elsewhere = await installedIn(t, tarball)
const espalier = join(elsewhere, 'node_modules', '.bin', 'espalier')
const compiler = await fetchedProgram('checks', 'tsc')

const written = async (name: string, ...flags: string[]): Promise<string> => {
  await done(elsewhere, espalier, 'init', name, ...flags)
  return join(elsewhere, name)
}

/** One installation is like the other. */
const useWhatIsElsewhere = (folder: string): void =>
  symlinkSync(join(elsewhere, 'node_modules'), join(folder, 'node_modules'))

const made = async (name: string, ...flags: string[]): Promise<string> => {
  const folder = await written(name, ...flags)
  useWhatIsElsewhere(folder)
  return folder
}

const names = ['--kind', 'BackupPolicy', '--group', 'ops.example.com']

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))

/** The files that operators have besides those of every operator. */
const ownFiles: Readonly<Record<string, readonly string[]>> = {
  chart: ['chart/Chart.yaml', 'chart/templates/deployment.yaml'],
  kustomization: ['deploy/deployment.yaml', 'deploy/kustomization.yaml'],
  generator: ['desired.ts'],
  reconcile: ['decide.ts'],
  admission: [],
}

const expectedFiles = (makes: string): string[] => {
  const tests = [...(makes === 'admission' ? [] : ['.faults']), ...(makes in more ? ['.remote'] : []), '']
  const project = ['.dockerignore', '.github/workflows/ci.yml', '.gitignore', 'Dockerfile', 'README.md', 'package.json']
  return [
    ...[...project, 'serverless.yml', 'tsconfig.json', 'kinds/backup-policy.ts', 'samples/backup-policy.yaml'],
    ...['index.ts', ...(ownFiles[makes] ?? [])].map(file => `functions/backup-policy/${file}`),
    ...tests.map(name => `tests/backup-policy${name}.test.ts`),
  ].sort()
}

/** What the workflow refuses: a generated file that is missing, differs or is left over. */
const comparesManifests = async (t: Test, folder: string): Promise<void> => {
  const [crds, rbac] = ['crds', 'rbac'].map(name => join(folder, 'manifests', name))
  const [definition, role] = [`${crds}/ops.example.com_backuppolicies.yaml`, `${rbac}/backup-policy.yaml`]
  const text = readFileSync(definition, 'utf8')
  const isRefused = async (says: string): Promise<void> => {
    matches(t, await shell(folder, 'npx', 'espalier', 'generate', '--check'), { code: 1, text: new RegExp(says) })
  }
  rmSync(definition)
  await isRefused('manifests/crds/ops.example.com_backuppolicies.yaml is missing')
  writeFileSync(definition, text.replace('BackupPolicy', 'Backup'))
  await isRefused('manifests/crds/ops.example.com_backuppolicies.yaml differs')
  writeFileSync(definition, text)
  writeFileSync(`${rbac}/former.yaml`, readFileSync(role))
  await isRefused('manifests/rbac/former.yaml is left over')
}

/** Without a right that it uses, the tests of the operator fail. */
const needsItsRights = async (t: Test, folder: string): Promise<void> => {
  const file = join(folder, 'serverless.yml')
  const text = readFileSync(file, 'utf8')
  const without = text.replace(/(resources: \[configmaps\], verbs: \[.*?), patch/, '$1')
  t.not(without, text)
  writeFileSync(file, without)
  const { code, text: says } = await shell(folder, 'npx', 'espalier', 'test', 'tests/backup-policy.faults.test.ts')
  writeFileSync(file, text)
  t.equal(code, 1)
  contains(t, says, 'patch')
}

/** `npm test`, the compiler and `npm run generate`, as the README of the operator says. */
const works = async (t: Test, folder: string): Promise<void> => {
  matches(t, await done(folder, 'npm', 'test'), /fail 0\n/)
  t.equal(await done(folder, compiler, '--project', folder), '', 'its types are right')
  await done(folder, 'npm', 'run', 'generate')
  t.equal((await shell(folder, 'npx', 'espalier', 'generate', '--check')).code, 0)
}

/** `npm start`, until Ctrl-C. Gives back what it says. */
const starts = async (t: Test, folder: string): Promise<string> => {
  const running = going(t, folder, 'start', '--port', '0')
  const text = await running.says(/ready after .*\n/)
  lacks(t, text, 'except')
  t.equal(await running.interrupt(), 0, 'Ctrl-C ends it')
  return text
}

/** Objects of a kustomization may be in another cluster here. */
const more: Readonly<Record<string, string[]>> = { kustomization: ['--remote'] }

for (const makes of ['chart', 'kustomization', 'generator', 'reconcile', 'admission'])
  t.test(
    `FW-21 FW-30${more[makes] ? ' FW-07' : ''} an operator that makes ${makes} is written, tested, type-checked, generated and started at once`,
    async t => {
      const folder = await written(`${makes}-operator`, '--makes', makes, ...names, ...(more[makes] ?? []))
      t.strictSame(filesIn(folder).sort(), expectedFiles(makes))
      const speaking = filesIn(folder).filter(file =>
        /kube-?config|remote/i.test(readFileSync(join(folder, file), 'utf8')),
      )
      t.equal(speaking.length > 0, makes in more, `other clusters are in ${speaking}`)
      if (makes === 'chart') await install(folder, tarball)
      else useWhatIsElsewhere(folder)
      await works(t, folder)
      const text = await starts(t, folder)
      contains(t, text, `serves webhook-certificate, backup-policy`)
      if (makes !== 'admission') contains(t, text, 'BackupPolicy default/sample: Ready')
      const texts = filesIn(folder).filter(file => !/^(node_modules|\.espalier)\//.test(file))
      for (const file of texts)
        lacks(t, readFileSync(join(folder, file), 'utf8'), /[Ww]ebsite|my-operator|example\.org/, file)
      const role = readFileSync(join(folder, 'manifests', 'rbac', 'backup-policy.yaml'), 'utf8')
      if (makes !== 'admission')
        contains(t, role, `name: ${makes}-operator-backup-policy`, 'roles carry the name of the operator')
      const image = readFileSync(join(folder, 'manifests', 'deploy', 'one-host', 'kustomization.yaml'), 'utf8')
      matches(t, image, new RegExp(`newName: ${makes}-operator\\n\\s+newTag: 0.1.0`))
      t.ok(existsSync(join(folder, 'manifests', 'crds', 'ops.example.com_backuppolicies.yaml')))
      const { jobs } = parse(readFileSync(join(folder, '.github', 'workflows', 'ci.yml'), 'utf8'))
      const steps: string[] = jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? [])
      t.ok(steps.includes('npm test') && steps.includes(`docker build -t ${makes}-operator .`))
      t.ok(steps.includes('npx espalier generate --check'))
      const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      t.equal(scripts.test, 'espalier test')
      lacks(t, readFileSync(join(folder, 'serverless.yml'), 'utf8'), '--remote')
      if (makes !== 'reconcile') return
      await comparesManifests(t, folder)
      await needsItsRights(t, folder)
    },
  )

/** A program of dist/, until the test ends. */
const program = (t: Test, cwd: string, name: string, ...flags: string[]): void => {
  const env = { ...process.env, ESPALIER_CALLER_SECRET: 'x'.repeat(40) }
  const args = [`dist/${name}.mjs`, '--kubeconfig=kubeconfig', '--caller-proof=secret', '--log-level=error', ...flags]
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
}

/** Uses a package in CommonJS, which is in node_modules. */
const shouting = `// website: keeps the objects of the chart, with a loud greeting.
import { component, helmChart, transformable } from 'espalier'
import { loud } from 'loud'
import { folder } from '../../parts/folder.ts'

export const websiteFunction = component({
  name: 'website.example.org',
  kind: { group: 'example.org', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
  generator: transformable(helmChart(import.meta.dirname, folder)).withParameters(spec => ({ ...spec, greeting: loud(spec.greeting) })),
})
`

/** The image of the Dockerfile has what the Deployments of manifests/ start, where they look for it. */
const isImageOf = (t: Test, folder: string): void => {
  const lines = readFileSync(join(folder, 'Dockerfile'), 'utf8').split('\n')
  const said = (word: string): string[] =>
    lines.flatMap(line => (line.startsWith(`${word} `) ? line.slice(word.length + 1) : []))
  const [building = '', running = ''] = said('WORKDIR')
  const [from = '', to = ''] = said('COPY').at(-1)?.replace('--from=build ', '').split(' ') ?? []
  t.equal(from, join(building, 'dist'), 'what npm run build writes')
  const deployments = ['one-host/host', 'base/relay']
    .flatMap(file => objectsIn(join(folder, 'manifests', 'deploy', `${file}.yaml`)))
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => (spec as { template: { spec: { containers: Container[] } } }).template.spec.containers[0])
  t.equal(deployments.length, 2)
  const started = [...deployments.map(one => one?.args.at(-1) ?? ''), ...JSON.parse(said('CMD')[0] ?? '')]
  for (const program of started) {
    const inImage = relative(join(running, to), join(running, program))
    t.ok(existsSync(join(folder, 'dist', inImage)), `${program} is ${inImage} of dist/`)
  }
  for (const one of deployments)
    t.equal(said('USER')[0], `${one?.securityContext.runAsUser}:${one?.securityContext.runAsGroup}`)
  t.ok(said('FROM').every(image => image.includes('24')))
  const ignored = readFileSync(join(folder, '.dockerignore'), 'utf8').split('\n')
  for (const part of ['functions', 'kinds', 'serverless.yml', 'package.json']) t.notOk(ignored.includes(part), part)
}

type Container = { args: string[]; securityContext: { runAsUser: number; runAsGroup: number } }

t.test('FW-05 FW-33 espalier build makes host and relay that run with their folder alone', async t => {
  const folder = await made('built-operator', '--makes', 'chart')
  const loud = join(elsewhere, 'node_modules', 'loud')
  mkdirSync(loud)
  writeFileSync(join(loud, 'package.json'), '{ "name": "loud", "main": "loud.js" }')
  writeFileSync(
    join(loud, 'loud.js'),
    "exports.loud = text => require('node:util').format('%s!', text).toUpperCase()\n",
  )
  mkdirSync(join(folder, 'parts'))
  writeFileSync(join(folder, 'parts', 'folder.ts'), "export const folder = 'chart'\n")
  writeFileSync(join(folder, 'functions', 'website', 'index.ts'), shouting)
  const besideCode = ['.helmignore', 'LICENSE'].map(name => join('functions', 'website', 'chart', name))
  for (const file of besideCode) writeFileSync(join(folder, file), '')
  for (const again of [false, true])
    contains(
      t,
      await done(folder, 'npm', 'run', 'build'),
      'dist holds host.mjs and relay.mjs with website\n',
      `${again}`,
    )
  for (const file of besideCode) t.ok(existsSync(join(folder, 'dist', file)), file)
  t.strictSame(await shell(folder, 'npx', 'espalier', 'build', '--into', '.'), {
    code: 1,
    text: 'build: . contains other files: expected an empty folder, or one that espalier build wrote\n',
  })
  await done(folder, 'npm', 'run', 'generate')
  isImageOf(t, folder)
  const alone = testFolder(t)
  renameSync(join(folder, 'dist'), join(alone, 'dist'))
  t.notOk(existsSync(join(alone, 'dist', 'manifests')), 'files of functions that are not included stay away')
  const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
  t.teardown(() => cluster.stop())
  writeFileSync(join(alone, 'kubeconfig'), cluster.kubeconfig)
  const client = createClient({
    server: cluster.url,
    credentials: () => ({ ca: cluster.caCert, token: cluster.adminToken }),
  })
  t.teardown(() => client.close())
  const person = { fieldManager: 'person' }
  const definition = objectsIn(join(folder, 'manifests', 'crds', 'example.org_websites.yaml'))
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'built-operator-system' } }
  for (const object of [...definition, namespace]) await client.create(object, person)
  const [port] = await freePorts(1)
  const [host, nowhere] = [`127.0.0.1:${port}`, '127.0.0.1:0']
  program(t, alone, 'host', '--tls=off', `--listen=${host}`, '--probes-listen=', `--webhooks-listen=${nowhere}`)
  program(t, alone, 'relay', `--host=http://${host}`, `--listen=${nowhere}`, '--shards=1')
  for (const object of objectsIn(join(folder, 'samples', 'website.yaml'))) await client.create(object, person)
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'sample' }
  const found = await until(
    () => client.get(ref),
    deployment => deployment !== undefined,
  )
  contains(t, JSON.stringify(found?.spec), '"value":"HELLO!"')
})

t.test('FW-05 espalier build without esbuild, or with a function that cannot be, says so', async t => {
  const bare = testFolder(t)
  await done(bare, espalier, 'init', 'bare-operator', '--makes', 'reconcile')
  const folder = join(bare, 'bare-operator')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(elsewhere, 'node_modules', 'espalier'), join(folder, 'node_modules', 'espalier'))
  const bin = join(elsewhere, 'node_modules', 'espalier', 'bin.mjs')
  t.strictSame(await shell(folder, 'node', bin, 'build'), {
    code: 1,
    text: 'build: esbuild is missing: npm install --save-dev esbuild\n',
  })
  writeFileSync(join(folder, 'functions', 'website', 'decide.ts'), 'export const decide = 1 +\n')
  const { code, text } = await shell(folder, 'node', bin, 'build')
  t.equal(code, 1)
  matches(t, text, /^build: functions\/website\/index\.ts cannot be loaded: /)
})

t.test('FW-22 espalier init function adds a function, with which everything still works', async t => {
  const folder = await made('two-operator', '--makes', 'reconcile')
  await done(folder, 'npx', 'espalier', 'init', 'function', 'quota-check', '--makes', 'admission')
  await works(t, folder)
  contains(t, await starts(t, folder), 'serves webhook-certificate, website, quota-check')
  matches(t, await shell(folder, 'npx', 'espalier', 'init', 'function', 'website'), {
    code: 2,
    text: 'init: function website already exists\n',
  })
})

t.test('FW-11 a landscape that cannot be is refused with a sentence', async t => {
  const folder = await made('faulty-operator', '--makes', 'reconcile')
  const refusals: [file: string, from: string, to: string, says: RegExp][] = [
    [
      'serverless.yml',
      'index.websiteFunction',
      'index.webFunction',
      /functions\.website\.handler: found .*allowed: an export of functions\/website\/index\.ts$/m,
    ],
    [
      'serverless.yml',
      '[webhook-certificate]',
      '[webhook-certificates]',
      /include\[0\]: found "webhook-certificates"; allowed: component, /,
    ],
    [
      'kinds/website.ts',
      'export const definition',
      'const definition',
      /kinds\/website\.ts: expected export const definition = customResourceDefinition.*found no such export/,
    ],
    [
      'kinds/website.ts',
      "from 'espalier/schema'",
      "from 'espalier/scheme'",
      /kinds\/website\.ts cannot be loaded: .*espalier/,
    ],
  ]
  for (const [name, from, to, says] of refusals) {
    const file = join(folder, name)
    const whole = readFileSync(file, 'utf8')
    contains(t, whole, from)
    writeFileSync(file, whole.replace(from, to))
    const { code, text } = await shell(folder, 'npx', 'espalier', 'generate')
    writeFileSync(file, whole)
    t.equal(code, 1)
    matches(t, text, says)
    lacks(t, text, /^\s+at /m, 'no stack')
  }
  const index = join(folder, 'functions', 'website', 'index.ts')
  const whole = readFileSync(index, 'utf8')
  writeFileSync(index, whole.replace("name: 'website'", "name: 'web'"))
  const { code, text } = await shell(folder, 'npx', 'espalier', 'host', '--kubeconfig', 'none')
  t.equal(code, 1)
  matches(
    t,
    text,
    /^host: .*functions\/website\/index\.ts: the function is called web; expected website, as its folder$/m,
  )
  rmSync(index)
  matches(t, await shell(folder, 'npx', 'espalier', 'host', '--kubeconfig', 'none'), {
    code: 1,
    text: /^host: .*functions\/website\/index\.ts does not exist/m,
  })
})

t.test('FW-07 FW-23 what cannot be made is refused with a sentence, and nothing is written', async t => {
  mkdirSync(join(elsewhere, 'taken'))
  const refusals: [args: string[], says: string][] = [
    [[], 'init: expected one NAME; see espalier init --help\n'],
    [['taken'], 'init: taken already exists: choose another name, or remove it\n'],
    [['s'], 'init: NAME is s: expected 2 to 50 lower-case letters, digits and dashes, such as my-operator\n'],
    [['Shop'], 'init: NAME is Shop: expected 2 to 50 lower-case letters, digits and dashes, such as my-operator\n'],
    [
      ['shop', '--makes', 'coffee'],
      'init: --makes is coffee: expected one of chart, kustomization, generator, reconcile, admission\n',
    ],
    [['shop', '--kind', 'shop'], 'init: --kind is shop: expected a name that begins with a capital, such as Website\n'],
    [
      ['shop', '--makes', 'reconcile', '--remote'],
      'init: --remote is for a chart, kustomization or generator, not for reconcile\n',
    ],
    [['shop', '--group', 'shop'], 'init: --group is shop: expected a DNS name such as example.org\n'],
  ]
  for (const [args, text] of refusals)
    t.strictSame(await shell(elsewhere, espalier, 'init', ...args), { code: 2, text })
  t.notOk(existsSync(join(elsewhere, 'shop')))
  for (const program of ['start', 'generate'])
    matches(t, await shell(elsewhere, espalier, program), {
      code: 1,
      text: /: there is no serverless\.yml in .*; create\s+an\s+operator\s+with\s+npx\s+espalier\s+init\s+NAME/,
    })
})

t.test(
  'FW-24 FW-25 FW-39 FW-40 espalier dev takes what is saved, objects stay, and it first says what will be done',
  async t => {
    const folder = await made('dev-operator', '--makes', 'generator')
    const [port] = await freePorts(1)
    const running = going(t, folder, 'dev', '--port', String(port))
    await running.says(
      /Website default\/sample \(website\)\n {2}create Deployment default\/sample\n[\s\S]*host .*serves[\s\S]*ready after/,
    )
    const kubeconfig = join(folder, '.espalier', 'kubeconfig')
    const client = createClient(await ownKubeconfigAccess({ files: [kubeconfig] }))
    t.teardown(() => client.close())
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'sample' }
    const before = await client.get(ref)
    const desired = join(folder, 'functions', 'website', 'desired.ts')
    writeFileSync(desired, readFileSync(desired, 'utf8').replace("image: 'nginx'", "image: 'httpd'"))
    await running.says(
      /restarting[\s\S]*Website default\/sample \(website\)\n {2}change Deployment default\/sample\n[\s\S]*image: nginx -> httpd\n[\s\S]*host .*serves[\s\S]*ready after/,
    )
    appendFileSync(join(folder, 'samples', 'website.yaml'), '  replicas: 3\n')
    await running.says(/restarting[\s\S]*restarting[\s\S]*ready after/)
    const after = await until(
      () => client.get(ref),
      found => mapOrEmpty(found?.spec).replicas === 3,
    )
    t.equal(after?.metadata.uid, before?.metadata.uid)
    contains(t, JSON.stringify(after?.spec), '"image":"httpd"')
    const { code, text: says } = await shell(
      folder,
      'npx',
      'espalier',
      'why',
      'web',
      'sample',
      '--kubeconfig',
      kubeconfig,
    )
    t.equal(code, 2)
    contains(t, says, 'web is not a known kind; expected one of Website, Namespace, ')
    const sound = readFileSync(desired, 'utf8')
    writeFileSync(desired, `${sound}const\n`)
    await running.says(/cannot be loaded: [\s\S]*\nwaits {6}until a file is saved/)
    writeFileSync(desired, sound)
    await running.says(/waits {6}until[\s\S]*restarting[\s\S]*ready after/)
    t.equal(await running.interrupt(), 0)
    const plan = 'Website default/sample (website)\n'
    const silent = going(t, folder, 'dev', '--no-plans', '--port', String(port))
    lacks(t, await silent.says(/ready after/), plan)
    await silent.interrupt()
    const started = going(t, folder, 'start', '--plans', '--port', '0')
    const text = await started.says(/ready after/)
    const [planned, called] = text.split(/^host /m)
    t.ok(planned?.includes(plan) && !called?.includes(plan), text)
    await started.interrupt()
  },
)
