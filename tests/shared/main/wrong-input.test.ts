// What people get wrong, for every command: wrong flags, names and files, and clusters that do not answer or refuse. A row is a mistake.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { programRows } from '../../../shared/main/programs.ts'
import { kubeconfig as kubeconfigText } from '../../harness/clients/kubeconfig.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { serviceAccountKubeconfig } from '../../harness/clusters/service-account.ts'
import { contains, matches } from '../../harness/matches.ts'

const { cluster, client, namespace, folder, kubeconfig } = await commandLine(t)
const person = { fieldManager: 'person' }

const written = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const inFolder = (name: string, files: Readonly<Record<string, string>>): string => {
  mkdirSync(join(folder, name))
  for (const [file, text] of Object.entries(files)) written(join(name, file), text)
  return join(folder, name)
}

const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }]
const component = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' }
const shop = { ...component, metadata: { name: 'shop', namespace }, spec: { source: { manifests } } }
await client.create(shop as KubeObject, person)
await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'nobody', namespace } }, person)

const shopFile = written('shop.yaml', JSON.stringify(shop))
const chart = inFolder('chart', { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' })
mkdirSync(join(folder, 'bundle'))

/** Arguments with which each command does its work. */
const sound: Readonly<Record<string, readonly string[]>> = {
  get: [],
  why: ['component', 'shop'],
  tree: ['component', 'shop'],
  events: ['component', 'shop'],
  logs: ['component', 'shop'],
  plan: ['component', 'shop'],
  reconcile: ['component', 'shop'],
  suspend: ['component', 'shop', '--reason', 'test'],
  resume: ['component', 'shop'],
  check: [],
  migrate: ['component', 'shop'],
  render: [chart],
  'support-bundle': ['--into', join(folder, 'new-bundle')],
  uninstall: ['--keep-workloads'],
  completion: ['bash'],
}

const named = commands.filter(({ usage }) => usage.includes('KIND NAME')).map(({ name }) => name)
const withCluster = commands.map(({ name }) => name).filter(name => name !== 'render' && name !== 'completion')

t.test('SEE-12 the rows below know every command', async t => {
  t.strictSame(Object.keys(sound).sort(), commands.map(({ name }) => name).sort())
  t.ok(named.length >= 8)
})

type Mistake = readonly [args: readonly string[], says: readonly string[]]

/** One line on standard error, of this command, without a stack, and exit code 2. */
const isRefused = async (t: Test, [args, says]: Mistake): Promise<void> => {
  const line = args.join(' ')
  const { code, out, fault } = await runCommand(commands, args)
  t.strictSame([code, out], [2, ''], line)
  matches(t, fault, new RegExp(`^espalier ${args[0]}: [^\\n]+\\n$`), line)
  t.notOk(/ at .*:\d+|undefined|\[object|TypeError/.test(fault), `${line}: ${fault}`)
  for (const part of says) contains(t, fault, part, line)
}

const stored = () => client.get({ ...component, namespace, name: 'shop' })
const before = await stored()
const isUntouched = async (t: Test): Promise<void> => void t.strictSame(await stored(), before)

t.test('SEE-12 flags: one that does not exist, one without its value, another format, a word too many', async t => {
  for (const { name, usage } of commands) {
    const args = [name, ...(sound[name] ?? []), '--kubeconfig', kubeconfig]
    const see = `see espalier ${name} --help`
    await isRefused(t, [
      [...args, '--frob'],
      ["Unknown option '--frob'", see],
    ])
    await isRefused(t, [
      [...args, '-n'],
      ["'-n, --namespace <value>' argument missing", see],
    ])
    await isRefused(t, [
      [...args, '-n', '--help'],
      ["Option '-n' argument missing", see],
    ])
    await isRefused(t, [
      [...args, '--help=no'],
      ["'-h, --help' does not take an argument", see],
    ])
    await isRefused(t, [[...args, '-o', 'xml'], ['-o is xml: expected json or yaml']])
    if (usage.includes('ARGUMENT')) continue
    const tooMany = [...(sound[name] ?? []), ...(usage.startsWith('[') ? ['component'] : []), 'word']
    await isRefused(t, [
      [name, ...tooMany, '--kubeconfig', kubeconfig],
      ['expected ', ', found ', 'word'],
    ])
  }
  await isUntouched(t)
})

t.test('SEE-89 KIND/NAME is KIND NAME; a namespace that cannot be one is refused', async t => {
  for (const name of named.filter(name => name !== 'logs'))
    await isRefused(t, [
      [
        name,
        'component/none',
        ...(name === 'suspend' ? ['--reason', 'x'] : []),
        '-n',
        namespace,
        '--kubeconfig',
        kubeconfig,
      ],
      [`Component ${namespace}/none does not exist`],
    ])
  await isRefused(t, [['why', 'a/b/c', '--kubeconfig', kubeconfig], ['expected KIND NAME, found a b c']])
  await isRefused(t, [['get', '-n', 'Bad'], ['-n is Bad: expected the name of a namespace, such as default']])
  await isUntouched(t)
})

const ofNames: readonly Mistake[] = [
  ...named.flatMap((name): Mistake[] => {
    const more = name === 'suspend' ? ['--reason', 'x'] : []
    const others = ['plan', 'migrate'].includes(name)
    const noKind = others ? 'no function for frob; expected one of Component, Garden' : 'frob is not a known kind'
    const noObject = `Component ${namespace}/none does not exist; list objects with espalier get; -n names another`
    return [
      [
        [name, ...more],
        ['expected', 'KIND NAME, found nothing'],
      ],
      [[name, 'component', ...more], ['KIND NAME, found component']],
      [
        [name, 'frob', 'x', ...more],
        [noKind, 'Kyma'],
      ],
      // The log of an object that is gone is still of use.
      ...(name === 'logs' ? [] : [[[name, 'component', 'none', ...more], [noObject]] as const]),
    ]
  }),
  [['why', 'pod', 'none'], [`Pod ${namespace}/none does not exist; list objects with kubectl get pods`]],
  [['get', 'pod'], ['pod is not a known kind; expected one of Component, Garden']],
  [['plan', 'pod', 'x'], ['no function for pod; expected one of Component']],
  [['migrate', 'deployment', 'x'], ['no function for deployment; expected one of Component']],
  [['logs', 'pod', 'x'], ['no function is called for a Pod, so no log names Pod']],
  [
    ['logs', 'component', 'shop'],
    ['no Pod of Espalier in namespace espalier-system', '.espalier/logs'],
  ],
  [['logs', 'component', 'shop', '--since', 'soon'], ['--since is soon: expected a number of minutes, such as 60']],
  [['logs', 'component', 'shop', '--since', '0'], ['--since is 0: expected a number of minutes']],
  [
    ['suspend', 'namespace', namespace, '--reason', 'x'],
    ['a Namespace cannot be suspended; expected one of Component'],
  ],
  [['suspend', 'component', 'shop'], ["expected --reason with a text, such as --reason '"]],
  [['suspend', 'component', 'shop', '--reason', ' '], ['expected --reason with a text']],
  [['resume', 'namespace', namespace], ['a Namespace cannot be suspended; expected one of Component']],
  [['reconcile', 'component', 'shop', '--wait', '--timeout', 'x'], ['--timeout is x: expected a number of seconds']],
  [['check', 'word'], ['expected arguments such as --log-level=1 after --, found word']],
  [
    ['check', '--arguments-of', 'none'],
    ['Deployment', 'none does not exist; list objects with kubectl get deployments'],
  ],
  [['check', '--arguments-of', 'none', '--', '--log-level=1'], ['--arguments-of and arguments exclude each other']],
  [['uninstall'], ['expected --keep-workloads', 'delete their objects while a host runs']],
  [
    ['support-bundle', '--into', join(folder, 'bundle')],
    ['/bundle', 'name a new folder'],
  ],
  [
    ['support-bundle', '--into', join(folder, 'no', 'bundle')],
    ['/no/bundle', 'cannot be created'],
  ],
  [['completion'], ['expected bash, zsh or fish, found nothing']],
  [['completion', 'tcsh'], ['expected bash, zsh or fish, found tcsh']],
]

t.test(
  'SEE-12 SEE-92 names: an unknown kind, one without a function, no name, an object that does not exist',
  async t => {
    for (const [args, says] of ofNames)
      await isRefused(t, [
        [...args, ...(args.includes('--') ? [] : ['-n', namespace, '--kubeconfig', kubeconfig])],
        says,
      ])
    await isUntouched(t)
  },
)

const noFile = join(folder, 'none.yaml')
const map = { 'one.yaml': JSON.stringify(shop), 'two.yaml': 'kind: Component' }
const ofFiles: readonly Mistake[] = [
  [['plan', '-f', noFile], [`${noFile} cannot be read: ENOENT`]],
  [['plan', '-f', written('empty.yaml', '')], ['/empty.yaml contains no object']],
  [['plan', '-f', written('comment.yaml', '# nothing\n---\n')], ['/comment.yaml contains no object']],
  [
    ['plan', '-f', written('broken.yaml', 'a: b: c\n')],
    ['/broken.yaml is not valid YAML: ', 'line 1, column 4'],
  ],
  [
    ['plan', '-f', written('broken.json', '{"kind": "Component"')],
    ['/broken.json is not valid YAML: ', 'line 1'],
  ],
  [['plan', '-f', written('text.yaml', 'hello\n')], ['/text.yaml: document 1 is not an object with apiVersion, kind']],
  [
    ['plan', '-f', inFolder('two', map)],
    ['/two/two.yaml: document 1 is not an object with apiVersion, kind and metadata'],
  ],
  [['plan', '-f', inFolder('none', {})], ['/none contains no .yaml, .yml or .json file']],
  [
    ['plan', '-f', written('map.yaml', JSON.stringify(manifests[0]))],
    ['/map.yaml: Espalier has no function for v1 ConfigMap; expected one of Component, Garden'],
  ],
  [
    ['plan', '-f', written('old.yaml', JSON.stringify({ ...shop, apiVersion: 'core.espalier.dev/v1' }))],
    ['no function for core.espalier.dev/v1 Component; expected core.espalier.dev/v1alpha1 Component'],
  ],
  [['plan', '-f', shopFile, 'component', 'shop'], ['expected -f FILE or KIND NAME, found both']],
  [['render'], ['expected one FOLDER, found nothing']],
  [['render', join(folder, 'nowhere')], ['/nowhere does not exist']],
  [['render', shopFile], ['/shop.yaml']],
  [['render', inFolder('bare', { a: 'b' })], ['/bare/ has neither a Chart.yaml nor a kustomization.yaml']],
  [['render', chart, '--path', 'x'], ['/chart/x/ has neither a Chart.yaml nor a kustomization.yaml']],
  [['render', chart, '--values', noFile], [`${noFile} cannot be read: ENOENT`]],
  [['render', chart, '--values', written('list.yaml', '- a\n')], ['/list.yaml must contain a map of values, such as']],
  [['render', chart, '--values', written('values.yaml', 'a: [b\n')], ['/values.yaml is not valid YAML: ']],
  [['render', chart, '--kube-version', 'new'], ['--kube-version is new: expected a version, such as v1.35.0']],
  [['render', inFolder('bad', { 'kustomization.yaml': 'resources: [gone.yaml]\n' })], ['gone.yaml']],
  [['render', inFolder('worse', { 'Chart.yaml': 'name: [\n' })], ['Chart.yaml']],
]

t.test('SEE-12 files: missing, empty, no YAML, no object, of an unknown kind or version', async t => {
  for (const [args, says] of ofFiles)
    await isRefused(t, [[...args, ...(args[0] === 'render' ? [] : ['--kubeconfig', kubeconfig])], says])
  await isUntouched(t)
})

/** Kubeconfigs that lead nowhere, each with what is said of it. */
const lost: readonly (readonly [args: readonly string[], says: readonly string[]])[] = [
  [
    ['--kubeconfig', join(folder, 'no-kubeconfig')],
    ['/no-kubeconfig cannot be read: ENOENT', 'KUBECONFIG'],
  ],
  [
    ['--kubeconfig', written('empty', '')],
    ['/empty cannot be read: ', '--kubeconfig and KUBECONFIG name another file'],
  ],
  [['--kubeconfig', written('null', 'null\n')], ['/null cannot be read: it is not a kubeconfig']],
  [
    ['--kubeconfig', shopFile],
    ['/shop.yaml', '--kubeconfig and KUBECONFIG name another file'],
  ],
  [['--kubeconfig', written('no-yaml', 'a: b: c\n')], ['/no-yaml cannot be read: ']],
  [['--kubeconfig', kubeconfig, '--context', 'nowhere'], ['has no context nowhere; expected one of ']],
]

const unreachable = written('unreachable', kubeconfigText({ url: 'https://127.0.0.1:1', caData: '' }, { token: 'x' }))

/** A command without rights or an API server. `check` says it in a line of its own. */
const saysOf = async (name: string, args: readonly string[]) => {
  const { code, out, fault } = await runCommand(commands, [name, ...(sound[name] ?? []), ...args])
  return { code, text: `${out}${fault}`.trim().replaceAll(/\n {9}/g, ' '), fault }
}

t.test('SEE-13 a kubeconfig or context that leads nowhere is named, with what there is', async t => {
  for (const name of withCluster)
    for (const [args, says] of lost) await isRefused(t, [[name, ...(sound[name] ?? []), ...args], says])
})

t.test('SEE-13 an API server that cannot be reached is named with its address', async t => {
  const all = await Promise.all(
    withCluster.map(async name => ({ name, ...(await saysOf(name, ['--kubeconfig', unreachable])) })),
  )
  for (const { name, code, text } of all) {
    t.equal(code, 2, `${name}: ${text}`)
    contains(t, text, ' at 127.0.0.1:1: no connection to the API server could be established (ECONNREFUSED)', name)
    t.equal(text.split('\n').length, 1, `${name}: ${text}`)
  }
})

t.test('SEE-13 a token that the API server does not know', async t => {
  const stranger = written('stranger', kubeconfigText(cluster, { token: 'nobody' }))
  for (const name of withCluster) {
    const { code, text } = await saysOf(name, ['--kubeconfig', stranger])
    t.equal(code, 2, `${name}: ${text}`)
    matches(t, text, /Unauthorized/, name)
    t.equal(text.split('\n').length, 1, `${name}: ${text}`)
  }
})

t.test('SEE-13 a user without rights: who may not do what; check goes on with warnings', async t => {
  const nobody = written('nobody', await serviceAccountKubeconfig(cluster, { namespace, name: 'nobody' }))
  for (const name of withCluster) {
    const { code, text } = await saysOf(name, ['--kubeconfig', nobody, '-n', namespace])
    t.equal(code, name === 'check' ? 1 : 2, `${name}: ${text}`)
    matches(
      t,
      text,
      new RegExp(`forbidden: User "system:serviceaccount:${namespace}:nobody" cannot (get|list|patch)`),
      name,
    )
    if (name !== 'check') t.equal(text.split('\n').length, 1, `${name}: ${text}`)
  }
  await isUntouched(t)
})

const program = join(import.meta.dirname, '../../../shared/main/espalier.mjs')

t.test('SEE-12 programs name a flag that does not exist, and end with their code', async t => {
  for (const { name } of programRows) {
    const run = await new Promise<{ code: unknown; fault: string }>(resolve =>
      execFile(process.execPath, [program, name, '--frob'], { cwd: folder }, (error, _, fault) =>
        resolve({ code: error?.code, fault }),
      ),
    )
    t.equal(run.code, name === 'init' || name === 'test' ? 2 : 1, `${name}: ${run.fault}`)
    matches(t, run.fault, /^[\w -]+: [^\n]*--frob[^\n]*\n$/, name)
  }
})
