// `espalier init` in the hands of a stranger: each kind of operator is made from the package in an empty folder, tested, started and changed.
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { ownKubeconfigAccess } from '../../../shared/kube/kubeconfigs/own-kubeconfig.ts'
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
import { until } from '../../harness/until.ts'

const { tarball } = await packedPackage()
const elsewhere = await installedIn(t, tarball)
const espalier = join(elsewhere, 'node_modules', '.bin', 'espalier')
const compiler = await fetchedProgram('checks', 'tsc')

const written = async (name: string, ...flags: string[]): Promise<string> => {
  await done(elsewhere, espalier, 'init', name, ...flags)
  return join(elsewhere, name)
}

/** With what is installed elsewhere: one installation is like the other. */
const made = async (name: string, ...flags: string[]): Promise<string> => {
  const folder = await written(name, ...flags)
  symlinkSync(join(elsewhere, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const names = ['--kind', 'BackupPolicy', '--group', 'ops.example.com']

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
  lacks(t, text, 'all but')
  t.equal(await running.interrupt(), 0, 'Ctrl-C ends it')
  return text
}

for (const makes of ['chart', 'kustomization', 'generator', 'reconcile', 'admission'])
  t.test(
    `FW-21 an operator that makes ${makes} is written, tested, type-checked, generated and started at once`,
    async t => {
      const folder = await written(`${makes}-operator`, '--makes', makes, ...names)
      await install(folder, tarball)
      await works(t, folder)
      const text = await starts(t, folder)
      contains(t, text, `serves webhook-certificate, backup-policy`)
      if (makes !== 'admission') contains(t, text, 'BackupPolicy default/sample: Ready')
      const files = globSync('**/*', { cwd: folder, exclude: ['node_modules', '.espalier'], withFileTypes: true })
      for (const file of files.filter(one => one.isFile()))
        lacks(
          t,
          readFileSync(join(file.parentPath, file.name), 'utf8'),
          /[Ww]ebsite|my-operator|example\.org/,
          file.name,
        )
      const role = readFileSync(join(folder, 'manifests', 'rbac', 'backup-policy.yaml'), 'utf8')
      if (makes !== 'admission')
        contains(t, role, `name: ${makes}-operator-backup-policy`, 'roles carry the name of the operator')
      const image = readFileSync(join(folder, 'manifests', 'deploy', 'one-host', 'kustomization.yaml'), 'utf8')
      matches(t, image, new RegExp(`newName: ${makes}-operator\\n\\s+newTag: 0.1.0`))
      t.ok(existsSync(join(folder, 'manifests', 'crds', 'ops.example.com_backuppolicies.yaml')))
    },
  )

t.test('FW-22 espalier init function adds a function, with which everything still works', async t => {
  const folder = await made('two-operator', '--makes', 'reconcile')
  await done(folder, 'npx', 'espalier', 'init', 'function', 'quota-check', '--makes', 'admission')
  await works(t, folder)
  contains(t, await starts(t, folder), 'serves webhook-certificate, website, quota-check')
  matches(t, await shell(folder, 'npx', 'espalier', 'init', 'function', 'website'), {
    code: 2,
    text: 'init: there is a function website already\n',
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

t.test('FW-23 what cannot be made is refused with a sentence, and nothing is written', async t => {
  mkdirSync(join(elsewhere, 'taken'))
  const refusals: [args: string[], says: string][] = [
    [[], 'init: expected one NAME; see espalier init --help\n'],
    [['taken'], 'init: taken is there already: choose another name, or remove it\n'],
    [['Shop'], 'init: NAME is Shop: expected lower case, digits and dashes, such as my-operator\n'],
    [
      ['shop', '--makes', 'coffee'],
      'init: --makes is coffee: expected one of chart, kustomization, generator, reconcile, admission\n',
    ],
    [['shop', '--kind', 'shop'], 'init: --kind is shop: expected a capital first, such as Website\n'],
    [['shop', '--group', 'shop'], 'init: --group is shop: expected a DNS name such as example.org\n'],
  ]
  for (const [args, text] of refusals)
    t.strictSame(await shell(elsewhere, espalier, 'init', ...args), { code: 2, text })
  t.notOk(existsSync(join(elsewhere, 'shop')))
  for (const program of ['start', 'generate'])
    matches(t, await shell(elsewhere, espalier, program), {
      code: 1,
      text: /: there is no serverless\.yml in .*; npx espalier init NAME makes/,
    })
})

t.test('FW-24 espalier dev takes what is saved, and objects stay', async t => {
  const folder = await made('dev-operator', '--makes', 'generator')
  const [port] = await freePorts(1)
  const running = going(t, folder, 'dev', '--port', String(port))
  await running.says(/ready after/)
  const access = await ownKubeconfigAccess({ files: [join(folder, '.espalier', 'kubeconfig')] })
  const client = createClient(access)
  t.teardown(() => client.close())
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'sample' }
  const before = await client.get(ref)
  const desired = join(folder, 'functions', 'website', 'desired.ts')
  writeFileSync(desired, readFileSync(desired, 'utf8').replace("image: 'nginx'", "image: 'httpd'"))
  await running.says(/starts again[\s\S]*ready after/)
  appendFileSync(join(folder, 'samples', 'website.yaml'), '  replicas: 3\n')
  await running.says(/starts again[\s\S]*starts again[\s\S]*ready after/)
  const after = await until(
    () => client.get(ref),
    found => mapOrEmpty(found?.spec).replicas === 3,
  )
  t.equal(after?.metadata.uid, before?.metadata.uid)
  contains(t, JSON.stringify(after?.spec), '"image":"httpd"')
  t.equal(await running.interrupt(), 0)
})
