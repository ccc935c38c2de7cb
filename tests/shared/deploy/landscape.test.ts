import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import type { Landscape } from '../../../shared/api/serverless.ts'
import { groupResourceOf } from '../../../shared/core/objects/object.ts'
import { accounts } from '../../../shared/deploy/access.ts'
import { admissionsOf } from '../../../shared/deploy/landscape/events.ts'
import { acceptedLandscape, functionsBelow, readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { type LandscapeRefusal, LandscapeRefused } from '../../../shared/deploy/landscape/refusal.ts'
import { contains, matches, throws } from '../../harness/matches.ts'
import { installedPackages } from '../../harness/packages/packages.ts'
import { compileCache } from '../../harness/runner/compile-cache.ts'
import { fullLandscape, listen } from './full-landscape.ts'

const project = join(import.meta.dirname, '..', '..', '..')

/** A folder in which the handlers of the full landscape exist. */
const checkout = (t: Test): string =>
  t.testdir({
    functions: { prune: { 'index.ts': 'export const prune = 1' }, inspect: { 'index.ts': 'export const inspect = 1' } },
  })

const refusalsOf = (look: () => unknown): readonly LandscapeRefusal[] => {
  try {
    look()
  } catch (error) {
    if (error instanceof LandscapeRefused) return error.refusals
    throw error
  }
  return []
}

/** The full landscape with another value at one place; `undefined` takes away what is there. */
const changed = (place: readonly (string | number)[], value: unknown): unknown => {
  const landscape = fullLandscape()
  const last = place.at(-1) ?? ''
  const parent = place.slice(0, -1).reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], landscape)
  if (value === undefined) delete (parent as Record<string, unknown>)[last]
  else (parent as Record<string, unknown>)[last] = value
  return landscape
}

const prune = ['functions', 'prune']
const watch = [...prune, 'events', 0, 'watch']
const schedule = [...prune, 'events', 8, 'schedule']
const inventory = [...prune, 'events', 9, 'inventory']
const admission = ['functions', 'inspect', 'events', 1, 'admission']

const [firstReview] = admissionsOf(fullLandscape()).map(({ event }) => event)

type Expected = { [part in keyof LandscapeRefusal]?: string | RegExp }
type Case = [sentence: string, place: readonly (string | number)[], value: unknown, refusal: Expected | Expected[]]

t.test(
  'FN-81 what is wrong in serverless.yml is refused with its path, what was found and what is allowed',
  async t => {
    const root = checkout(t)
    const cases: Case[] = [
      [
        'an unknown key',
        [...prune, 'tiemout'],
        30,
        { path: 'functions.prune.tiemout', found: 'an unknown key', allowed: /^handler, description, timeout, / },
      ],
      [
        'variables, which are made of settings',
        [...prune, 'environment'],
        { ESPALIER_PRUNE_MOST: '3' },
        { path: 'functions.prune.environment', found: 'an unknown key' },
      ],
      ['an unknown key on top', ['resources'], {}, { path: 'resources', allowed: /^service, .*functions$/ }],
      ['a missing key', [...prune, 'timeout'], undefined, { path: 'functions.prune.timeout', found: 'nothing' }],
      ['no function at all', ['functions'], undefined, { path: 'functions', found: 'nothing' }],
      [
        'a text for a number',
        [...prune, 'timeout'],
        '30',
        { path: 'functions.prune.timeout', found: '"30"', allowed: /integer/ },
      ],
      [
        'too long a time',
        [...prune, 'timeout'],
        901,
        { path: 'functions.prune.timeout', found: '901', allowed: /<= 900/ },
      ],
      [
        'an unknown event',
        [...prune, 'events', 0],
        { wotch: {} },
        { path: 'functions.prune.events[0].wotch', allowed: 'watch, schedule, admission, inventory, callback' },
      ],
      [
        'two events in one',
        [...prune, 'events', 8, 'watch'],
        { apiVersion: 'example.org/v1', kind: 'Orchard', on: ['any'], map: 'self' },
        {
          path: 'functions.prune.events[8]',
          allowed: 'exactly one of watch, schedule, admission, inventory, callback',
        },
      ],
      [
        'an unknown filter',
        [...watch, 'on', 0],
        'deletoin',
        {
          path: 'functions.prune.events[0].watch.on[0]',
          found: '"deletoin"',
          allowed: 'generation, annotations, labels, status, deletion, any',
        },
      ],
      [
        'an unknown mapping',
        [...watch, 'map'],
        'name',
        { path: 'functions.prune.events[0].watch.map', allowed: 'self, owner, keys, cluster' },
      ],
      [
        'a mapping by two things',
        [...watch, 'map'],
        { label: 'a', annotation: 'b' },
        { path: 'functions.prune.events[0].watch.map', allowed: 'exactly one of label, annotation, key' },
      ],
      [
        'a mapping that is a number',
        [...watch, 'map'],
        7,
        ['exactly one of label, annotation, key', 'a value of type object'].map(allowed => ({
          path: 'functions.prune.events[0].watch.map',
          found: '7',
          allowed,
        })),
      ],
      [
        'a kind that is spelled like a resource',
        [...watch, 'kind'],
        'orchards',
        {
          path: 'functions.prune.events[0].watch.kind',
          found: '"orchards"',
          allowed: 'a kind as the API server spells it',
        },
      ],
      [
        'a kind the function may not touch',
        [...watch, 'kind'],
        'Vineyard',
        {
          path: 'functions.prune.events[0].watch.kind',
          found: `"Vineyard" (vineyards of group 'example.org')`,
          allowed:
            /access: orchards, orchards\/status of group 'example.org'; deployments of group 'apps'; secrets of group ''/,
        },
      ],
      [
        'a kind it may touch in one namespace, watched in all',
        [...prune, 'events', 2, 'watch', 'namespace'],
        undefined,
        {
          path: 'functions.prune.events[2].watch.kind',
          found: `"Secret" (secrets of group '')`,
          allowed: /in orchards;/,
        },
      ],
      [
        'no apiVersion',
        [...watch, 'apiVersion'],
        'example.org',
        { path: 'functions.prune.events[0].watch.apiVersion', allowed: /^group\/version/ },
      ],
      [
        'an unknown verb',
        [...prune, 'access', 0, 'verbs', 0],
        'read',
        { path: 'functions.prune.access[0].verbs[0]', allowed: /^get, list, / },
      ],
      [
        'a handler that is no path',
        [...prune, 'handler'],
        'prune',
        { path: 'functions.prune.handler', found: '"prune"', allowed: 'functions/<name>/index.<export>' },
      ],
      [
        'a handler in another folder',
        [...prune, 'handler'],
        'functions/inspect/index.inspect',
        { path: 'functions.prune.handler', allowed: 'functions/prune/index.<export>' },
      ],
      [
        'a handler without a file',
        ['functions', 'graft'],
        { ...fullLandscape().functions.prune, handler: 'functions/graft/index.graft' },
        { path: 'functions.graft.handler', allowed: /functions\/graft\/index.ts, which does not exist$/ },
      ],
      [
        'a handler without an export',
        [...prune, 'handler'],
        'functions/prune/index.pru',
        { path: 'functions.prune.handler', found: '"functions/prune/index.pru"', allowed: /an export of .*index.ts$/ },
      ],
      [
        'a name that is taken',
        ['functions', 'relay'],
        fullLandscape().functions.prune,
        [
          { path: 'functions.relay', allowed: /a name other than .*host, relay/ },
          { path: 'functions.relay.handler', allowed: 'functions/relay/index.<export>' },
          { path: 'functions.relay.handler', allowed: /which does not exist/ },
        ],
      ],
      [
        'a name in capitals',
        ['functions', 'Graft'],
        fullLandscape().functions.prune,
        { path: 'functions.Graft', allowed: /lower case/ },
      ],
      [
        'a remote nobody declared',
        [...prune, 'events', 7, 'watch', 'cluster'],
        'moon',
        { path: 'functions.prune.events[7].watch.cluster', found: '"moon"', allowed: 'runtimes' },
      ],
      [
        'a remote where none is declared',
        ['provider', 'remotes'],
        {},
        ['events[7].watch', 'events[9].inventory'].map(event => ({
          path: `functions.prune.${event}.cluster`,
          allowed: /declares no group/,
        })),
      ],
      [
        'cluster mapping of a local watch',
        [...watch, 'map'],
        'cluster',
        { path: 'functions.prune.events[0].watch.map', allowed: /names no cluster/ },
      ],
      [
        'half an inventory elsewhere',
        [...inventory, 'clusterLabel'],
        undefined,
        { path: 'functions.prune.events[9].inventory', allowed: /or neither/ },
      ],
      [
        'what is here though nothing is elsewhere',
        [...inventory],
        { path: 'status.inventory', remotePath: 'spec.remote' },
        { path: 'functions.prune.events[9].inventory.remotePath', allowed: /names no cluster/ },
      ],
      [
        'an unreadable cron',
        [...schedule, 'cron'],
        '61 * * * *',
        { path: 'functions.prune.events[8].schedule.cron', found: '"61 * * * *"', allowed: /minute hour/ },
      ],
      [
        'no such time zone',
        [...schedule, 'timeZone'],
        'Europe/Bern',
        { path: 'functions.prune.events[8].schedule.timeZone', allowed: /IANA/ },
      ],
      [
        'failures that get faster',
        [...prune, 'failureMaxSeconds'],
        0.5,
        { path: 'functions.prune.failureMaxSeconds', allowed: 'at least failureBaseSeconds, 1' },
      ],
      [
        'a webhook path twice',
        [...admission, 'path'],
        'default-orchard',
        { path: 'functions.inspect.events[1].admission.path', found: '"default-orchard" a second time' },
      ],
      [
        'a webhook name twice in one configuration',
        ['functions', 'inspect', 'events', 2],
        { admission: { ...firstReview, path: 'another' } },
        {
          path: 'functions.inspect.events[2].admission.webhook',
          found: '"defaulting.example.org" a second time in orchards',
        },
      ],
      [
        'admission beside other events',
        ['functions', 'inspect', 'events', 2],
        { schedule: { cron: '* * * * *' } },
        { path: 'functions.inspect.events', found: 'admission, admission, schedule' },
      ],
      [
        'a checking mode that lets things pass',
        ['configValidationMode'],
        'warn',
        { path: 'configValidationMode', allowed: '"error"' },
      ],
    ]
    for (const [sentence, place, value, expected] of cases) {
      matches(
        t,
        refusalsOf(() => acceptedLandscape(changed(place, value), functionsBelow(root), 'serverless.yml')),
        [expected].flat(),
        sentence,
      )
    }
  },
)

t.test('FN-81 everything wrong is told at once, in one message', t => {
  const landscape = fullLandscape() as Landscape & Record<string, unknown>
  landscape.functions.prune = { ...landscape.functions.prune, timeout: 0, concurrency: 0 } as never
  throws(t, () => acceptedLandscape(landscape, functionsBelow(checkout(t)), 'serverless.yml'), {
    message: [
      'serverless.yml is refused:',
      '  functions.prune.timeout: found 0; allowed: must be >= 1',
      '  functions.prune.concurrency: found 0; allowed: must be >= 1',
    ].join('\n'),
  })
  t.end()
})

t.test('FN-81 a landscape without faults is accepted as it is', t => {
  const root = checkout(t)
  const file = join(root, 'serverless.yml')
  writeFileSync(file, stringify(fullLandscape()))
  t.strictSame(readLandscape(file), fullLandscape(), 'by path')
  t.strictSame(readLandscape(pathToFileURL(file)), fullLandscape(), 'by URL')
  t.ok(readLandscape(join(project, 'serverless.yml')).functions, 'our own')
  t.end()
})

t.test('FN-81 YAML that can be read in two ways is refused with line and column', t => {
  const cases: [sentence: string, text: string, path: RegExp][] = [
    ['a key that stands there twice', 'service: a\nservice: b\n', /^line 2, column 1$/],
    ['an unknown tag', 'service: !secret a\n', /^line 1, column 10$/],
    ['broken indentation', 'provider:\n  name: espalier\n namespace: x\n', /^line 3/],
  ]
  for (const [sentence, text, path] of cases) {
    const root = t.testdir({ 'serverless.yml': text })
    matches(
      t,
      refusalsOf(() => readLandscape(join(root, 'serverless.yml'))),
      [{ path, found: /^(?!.* at line )[^\n]+[^:]$/ }],
      sentence,
    )
  }
  t.end()
})

const schema: Schema = JSON.parse(readFileSync(join(project, 'shared/api/serverless.schema.json'), 'utf8'))

type Schema = { properties?: Record<string, Schema>; definitions?: Record<string, Schema>; $ref?: string }

t.test('FN-81 the schema is sound by the strict rules that osls has', t => {
  t.doesNotThrow(() => new Ajv({ strict: true, strictRequired: false }).compile(schema))
  throws(t, () => new Ajv({ strict: true }).compile({ ...schema, propertys: {} }), /unknown keyword: "propertys"/)
  t.end()
})

t.test('FN-81 schema and types know the same keys', t => {
  const inSchema = [schema, ...Object.values(schema.definitions ?? {})].flatMap(part =>
    Object.keys(part.properties ?? {}),
  )
  const inTypes = new Set(keysIn([fullLandscape(), listen]))
  const ofOsls = ['frameworkVersion', 'configValidationMode', 'plugins']
  // Only a landscape of one’s own has it.
  const ofOwn = ['include']
  t.strictSame(
    inSchema.filter(key => !inTypes.has(key) && ![...ofOsls, ...ofOwn].includes(key)),
    [],
    'no key of the schema is missing from the landscape that uses every type in full',
  )
  t.end()
})

const keysIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)])

t.test(
  'FN-81 osls accepts our serverless.yml, and refuses wrong keys, events and handlers, without a network',
  async t => {
    const root = checkout(t)
    symlinkSync(join(project, 'shared'), join(root, 'shared'))
    symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
    const head = {
      frameworkVersion: '4',
      configValidationMode: 'error',
      plugins: ['./shared/deploy/serverless-provider.cjs'],
    }
    const osls = async (landscape: unknown) => {
      writeFileSync(join(root, 'serverless.yml'), stringify({ ...head, ...(landscape as object) }))
      return oslsPrint(root)
    }

    const good = await osls(fullLandscape())
    t.equal(good.code, 0, good.output)
    contains(t, good.output, 'handler: functions/prune/index.prune')

    const bad = await osls(changed([...prune, 'events', 0], { wotch: {} }))
    t.equal(bad.code, 1)
    contains(
      t,
      bad.output,
      'functions.prune.events[0].wotch: found an unknown key; allowed: watch, schedule, admission, inventory, callback',
    )

    const ours = await oslsPrint(project)
    t.equal(ours.code, 0, ours.output)
  },
)

/** Any attempt to open a connection ends osls with a code of its own. */
const offline = `data:text/javascript,import net from 'node:net'; net.Socket.prototype.connect = () => process.exit(99)`

const oslsPrint = async (folder: string): Promise<{ code: number; output: string }> => {
  const osls = await installedPackages('osls')
  return new Promise(resolve => {
    const env = { ...compileCache, PATH: process.env.PATH, HOME: t.testdirName, NODE_OPTIONS: `--import "${offline}"` }
    const args = [join(osls, 'node_modules/osls/bin/serverless.js'), 'print']
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, output: stdout + stderr }),
    )
  })
}

t.test('kinds lead to resources as Kubernetes spells them', t => {
  const cases: [kind: string, resource: string][] = [
    ['Garden', 'gardens'],
    ['NetworkPolicy', 'networkpolicies'],
    ['Ingress', 'ingresses'],
    ['Gateway', 'gateways'],
    ['Endpoints', 'endpoints'],
    ['ModuleReleaseMeta', 'modulereleasemetas'],
    ['Patch', 'patches'],
  ]
  for (const [kind, resource] of cases) {
    t.strictSame(groupResourceOf({ apiVersion: 'a.b/v1', kind }), { group: 'a.b', resource })
  }
  t.equal(groupResourceOf({ apiVersion: 'v1', kind: 'Secret' }).group, '')
  t.end()
})

t.test('FW-13 a watch says the plural that English does not make', t => {
  const access = [{ apiGroups: ['cache.cs.sap.com'], resources: ['redis'], verbs: ['list'] }]
  const event = { apiVersion: 'cache.cs.sap.com/v1', kind: 'Redis', on: ['generation'] as const, map: 'self' as const }
  const withWatch = (watch: object): unknown => {
    const { functions, ...landscape } = fullLandscape()
    return { ...landscape, functions: { prune: { ...functions.prune, access, events: [{ watch }] } } }
  }
  const isThere = () => true
  matches(
    t,
    refusalsOf(() => acceptedLandscape(withWatch(event), isThere, 'serverless.yml')),
    [
      {
        path: 'functions.prune.events[0].watch.kind',
        found: `"Redis" (redises of group 'cache.cs.sap.com')`,
        allowed: /: redis of group 'cache.cs.sap.com'; set plural of the watch if the plural is irregular$/,
      },
    ],
  )
  const landscape = acceptedLandscape(withWatch({ ...event, plural: 'redis' }), isThere, 'serverless.yml')
  contains(t, JSON.stringify(accounts(landscape).relay), '"apiGroups":["cache.cs.sap.com"],"resources":["redis"]')
  t.end()
})
