// `espalier plan` as people give it, with a kubeconfig.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadFunctions } from '../../../functions/index.ts'
import { componentCrd } from '../../../shared/api/component/crd.ts'
import type { FieldChange } from '../../../shared/core/json/field-changes.ts'
import { fieldChanges } from '../../../shared/core/json/field-changes.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../shared/core/yaml/write.ts'
import { customResources } from '../../../shared/deploy/manifests/manifests.ts'
import { AccessError, ApiError, ConnectionError, KindNotServed } from '../../../shared/kube/errors.ts'
import { runCommand, UsageFault } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { plansOrRefusals, planText } from '../../../shared/main/cli/plan.ts'
import { programRows } from '../../../shared/main/programs.ts'
import type { PlannedCall } from '../../../shared/runtime/planned.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { established } from '../../harness/component/orchards.ts'
import { contains, matches, rejects } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'

const cluster = await anyCluster(t)
const client = clientTo(t, cluster)
await established(client, componentCrd() as KubeObject)
const folder = testFolder(t)
const kubeconfig = join(folder, 'kubeconfig')
writeFileSync(kubeconfig, cluster.kubeconfig)
const { namespace } = cluster
const project = join(import.meta.dirname, '../../..')

const component = (name: string): KubeObject => ({
  apiVersion: 'core.espalier.dev/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace },
  spec: {
    source: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-a` }, data: { a: '1' } }] },
  },
})

const file = join(folder, 'component.yaml')
writeFileSync(file, yamlOf(component('pear')))

const espalier = (...args: string[]) => runCommand(commands, args)

t.test('SEE-10 a file with a new Component: what is created, exit 1, and nothing is written', async t => {
  const { code, out, fault } = await espalier('plan', '-f', file, '--kubeconfig', kubeconfig)
  t.equal(fault, '')
  t.equal(code, 1)
  contains(t, out, `Component ${namespace}/pear (component)\n  create ConfigMap ${namespace}/pear-a\n`)
  t.equal(await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'pear-a' }), undefined)
})

t.test('SEE-91 plans of a file go on behind each refused object; exit 2', async t => {
  const older = { ...component('older'), apiVersion: 'core.espalier.dev/v1' }
  const strange = { ...component('strange'), spec: { source: 'none' } }
  const lost = { ...component('lost'), metadata: { name: 'lost', namespace: 'nowhere' } }
  const installed = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden', metadata: { name: 'bare' } }
  const file = join(folder, 'refused.json')
  writeFileSync(
    file,
    [older, strange, lost, installed, component('quince')].map(object => JSON.stringify(object)).join('\n---\n'),
  )
  const args = ['plan', '-f', file, '--kubeconfig', kubeconfig]
  const { code, out, fault } = await espalier(...args)
  t.strictSame([code, fault], [2, ''])
  const parts = out
    .replaceAll(/\n {9}/g, ' ')
    .trimEnd()
    .split('\n\n')
  const says: [object: string, refusal: RegExp][] = [
    [
      `Component ${namespace}/older`,
      /Espalier has no function for core.espalier.dev\/v1 Component; expected core.*alpha1 /,
    ],
    [`Component ${namespace}/strange (component)`, /\.spec\.source: /],
    ['Component nowhere/lost (component)', /namespaces "nowhere" not found/],
    [
      'Garden bare',
      /the cluster does not serve kind Garden of operator.gardener.cloud\/v1alpha1: its\s+CustomResourceDefinition\s+is not /,
    ],
  ]
  for (const [at, [object, refusal]] of says.entries()) {
    contains(t, parts[at] ?? '', `${object}\n  no plan: `)
    matches(t, parts[at], refusal)
  }
  contains(t, parts.at(-1) ?? '', `  create ConfigMap ${namespace}/quince-a\n`)
  t.equal(parts.length, says.length + 1)
  const data = JSON.parse((await espalier(...args, '-o', 'json')).out)
  t.strictSame(
    data.map(({ is }: { is: string }) => is),
    [...says.map(() => 'refused'), 'planned'],
  )
})

t.test('SEE-91 of several functions, the one that refuses is named beside the plans of the others', async t => {
  const functions = (await loadFunctions()).filter(one => one.does === 'reconcile').slice(0, 3)
  const planWith = (fault: Error) =>
    plansOrRefusals(functions, component('fig'), {
      inNamespace: async object => object,
      plan: async definition => {
        if (definition === functions[2]) throw fault
        return { ...planned, function: definition.name }
      },
    })
  const refusals = [
    new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }),
    new AccessError('Missing', 'no'),
    new UsageFault('no'),
    new KindNotServed({ apiVersion: 'v1', kind: 'Fig' }),
  ]
  for (const refusal of refusals) {
    const [first, second, third] = functions.map(({ name }) => name)
    t.strictSame(await planWith(refusal), [
      { ...planned, function: first },
      { ...planned, function: second },
      { function: third, object: `Component ${namespace}/fig`, is: 'refused', says: refusal.message },
    ])
  }
  const others = [new ConnectionError('silent', '', 'silent'), new TypeError('x'), AbortSignal.abort().reason]
  for (const fault of others) await rejects(t, planWith(fault), fault)
})

t.test('SEE-92 with --watch, an object that goes after the first plan ends the command with 0', async t => {
  const apricot = component('apricot')
  await client.create(apricot, { fieldManager: 'person' })
  let deletion: Promise<unknown> | undefined
  const args = ['plan', 'component', 'apricot', '--watch', '-n', namespace, '--kubeconfig', kubeconfig]
  const { code, out, fault } = await runCommand(commands, args, () => {
    deletion = client.delete(refOf(apricot), {})
  })
  await deletion
  t.strictSame([code, fault], [0, ''])
  contains(t, out, `Component ${namespace}/apricot (component)\n  does not exist`)
})

t.test('SEE-11 the program itself prints both texts, and ends with the code', async t => {
  const program = join(project, 'shared/main/espalier.mjs')
  const run = await new Promise<unknown[]>(resolve =>
    execFile(process.execPath, [program, 'prune'], (error, out, fault) => resolve([error?.code, out, fault])),
  )
  const { code, out, fault } = await runCommand(commands, ['prune'], () => undefined, programRows)
  t.strictSame(run, [code, out, fault])
})

t.test('SEE-10 KIND NAME of a stored object, as data; exit 0 when there is nothing to do', async t => {
  const plum = component('plum')
  await client.create({ ...plum, spec: { ...(plum.spec as object), suspend: true } }, { fieldManager: 'person' })
  const { code, out } = await espalier(
    'plan',
    'component',
    'plum',
    '-n',
    namespace,
    '--kubeconfig',
    kubeconfig,
    '-o',
    'json',
  )
  t.equal(code, 0)
  matches(t, JSON.parse(out), [
    { function: 'component', object: `Component ${namespace}/plum`, is: 'planned', steps: [] },
  ])
})

t.test('SEE-10 SEE-31 SEE-36 SEE-37 SEE-42 SEE-44 the commands in the README are understood', async t => {
  const readme = readFileSync(join(project, 'README.md'), 'utf8')
  const commands = [...readme.matchAll(/^npx espalier (.+) --kubeconfig .espalier\/kubeconfig$/gm)].map(
    ([, line = '']) => line.split(' '),
  )
  t.strictSame(
    [...new Set(commands.map(([name]) => name))],
    ['get', 'why', 'tree', 'reconcile', 'suspend', 'resume', 'plan'],
  )
  for (const { objects } of customResources())
    for (const definition of objects) await established(client, definition as unknown as KubeObject)
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, { fieldManager: 'person' })
  for (const [name = '', ...args] of commands) {
    const { fault } = await espalier(name, ...args.map(inProject), '--kubeconfig', kubeconfig)
    t.ok(
      fault === '' ||
        /(Component shop\/shop|Kyma kcp-system\/outpost|Istio kyma-system\/default) does not exist/.test(fault),
      `${[name, ...args].join(' ')}: ${fault}`,
    )
  }
})

const inProject = (word: string): string => (word.startsWith('manifests/') ? join(project, word) : word)

t.test('SEE-87 of a file, objects that no function works on are named; exit 2 if there are no others', async t => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace } }
  const planOf = (...objects: object[]) => {
    const file = join(folder, 'several.yaml')
    writeFileSync(file, objects.map(object => JSON.stringify(object)).join('\n---\n'))
    return espalier('plan', '-f', file, '--kubeconfig', kubeconfig)
  }
  const { code, out, fault } = await planOf(settings, component('cherry'))
  t.strictSame([code, fault], [1, ''])
  matches(
    t,
    out,
    new RegExp(`^Component ${namespace}/cherry [^]*\\n\\nno function works on ConfigMap ${namespace}/settings\\n$`),
  )
  contains(t, (await planOf(settings)).fault, 'no function for v1 ConfigMap')
})

t.test('SEE-11 what a person gets wrong is named with what is expected; exit 2', async t => {
  const cases: [args: string[], fault: string][] = [
    [
      ['plan', 'deployment', 'x', '--kubeconfig', kubeconfig],
      'no function for deployment; expected one of Component, Garden',
    ],
    [['plan', 'component', '--kubeconfig', kubeconfig], 'expected -f FILE or KIND NAME, found component'],
    [['plan', '-f', join(folder, 'missing.yaml'), '--kubeconfig', kubeconfig], 'missing.yaml'],
    [['plan', '--frob'], "Unknown option '--frob'"],
    [['prune'], 'there is no command prune; commands are get, why, tree, events, logs, plan'],
  ]
  for (const [args, expected] of cases) {
    const { code, fault } = await espalier(...args)
    t.equal(code, 2, args.join(' '))
    contains(t, fault, expected)
  }
  const help = await espalier('plan', '--help')
  t.equal(help.code, 0)
  contains(t, help.out, 'espalier plan -f component.yaml')
})

const planned: PlannedCall = {
  function: 'component',
  object: 'Component shop/shop',
  is: 'planned',
  steps: [
    {
      apiVersion: 'v1',
      does: 'change',
      object: 'ConfigMap shop/a',
      fields: [{ path: 'data.a', before: '1', after: '2' }],
    },
    { apiVersion: 'v1', does: 'fail', object: 'ConfigMap shop/b', refusal: `it is refused ${'because '.repeat(12)}` },
    { apiVersion: 'v1', does: 'run', object: 'Component shop/shop', hook: 'preDelete' },
  ],
  later: [{ apiVersion: 'batch/v1', does: 'delete', object: 'Job shop/old' }],
  itself: [{ path: 'metadata.finalizers[0]', after: 'component.core.espalier.dev' }],
  status: [
    { path: 'state', before: 'Ready', after: 'Processing' },
    { path: 'inventory[a].digest', after: 'x' },
  ],
  events: [{ type: 'Normal', reason: 'Updated', message: 'Updated', regarding: 'ConfigMap shop/a' }],
  next: { is: 'waiting', seconds: 5, for: 'Job shop/old is being deleted' },
}

t.test('SEE-10 the text of a plan: 80 columns, a line for each step and each field', async t => {
  const lines = planText(planned).split('\n')
  t.ok(lines.every(line => line.length <= 80))
  t.strictSame(lines.slice(0, 3), [
    'Component shop/shop (component)',
    '  change ConfigMap shop/a',
    '           data.a: 1 -> 2',
  ])
  for (const line of [
    '  run    Component shop/shop (hook preDelete)',
    '  then delete Job shop/old',
    '  itself metadata.finalizers[0]: component.core.espalier.dev',
    '  event  Normal Updated on ConfigMap shop/a: Updated',
    '  status state: Ready -> Processing',
    '  next   in 5 s; waiting: Job shop/old is being deleted',
  ])
    t.ok(lines.includes(line), line)
  t.notOk(planText(planned).includes('inventory'))
  t.equal(planText({ ...planned, is: 'gone' }), 'Component shop/shop (component)\n  does not exist')
})

t.test('SEE-01 fields that differ, elements of lists by name and else by index', async t => {
  const cases: [before: unknown, after: unknown, changes: FieldChange[]][] = [
    [{ a: 1 }, { a: 1 }, []],
    [
      { a: 1 },
      { a: 2, b: { c: 3 } },
      [
        { path: 'a', before: 1, after: 2 },
        { path: 'b', after: { c: 3 } },
      ],
    ],
    [{ 'a.b/c': 1 }, {}, [{ path: '["a.b/c"]', before: 1 }]],
    [
      [{ name: 'x', v: 1 }, { name: 'y' }],
      [{ name: 'y' }, { name: 'x', v: 2 }],
      [{ path: '[x].v', before: 1, after: 2 }],
    ],
    [[{ name: 'x' }, { name: 'x' }], [{ name: 'x' }], [{ path: '[1]', before: { name: 'x' } }]],
    [{ a: [1] }, { a: { b: 1 } }, [{ path: 'a', before: [1], after: { b: 1 } }]],
    [{ a: null }, {}, [{ path: 'a', before: null }]],
  ]
  for (const [before, after, changes] of cases) t.strictSame(fieldChanges(before, after), changes)
})
