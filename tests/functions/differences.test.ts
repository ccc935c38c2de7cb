// Names that people write into dashboards and scripts: those of a function that the Go operator lacks are in a table under "Differences" of
// its README, and nothing else is.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { workloadsMissing, workloadUnhealthy } from '../../functions/garden-care/reasons.ts'
import { statefulSets } from '../../functions/garden-care/rules/workloads.ts'
import { prefixes } from '../../functions/garden-reconcile/desired/parts/names.ts'
import { fieldManager } from '../../functions/garden-reconcile/rules/flow.ts'
import { successionMark } from '../../functions/garden-reconcile/rules/secrets/secret-metadata.ts'
import { engineName } from '../../functions/manifest/desired/module-objects.ts'
import { istioNames } from '../../shared/api/istio/names.ts'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { digestKey } from '../../shared/component/ownership.ts'
import { originalNames } from '../make/original-names.ts'

const root = join(import.meta.dirname, '../..')

type System = {
  /** Each with the folders beside its own that have names of it. */
  readonly functions: Readonly<Record<string, readonly string[]>>
  /** Where keys of labels, annotations and finalizers are, besides. */
  readonly keysIn?: readonly string[]
  /** Reasons, and types of conditions, that are made of parts. */
  readonly reasons?: Readonly<Record<string, readonly string[]>>
  /** Keys that are made of parts, and field managers. */
  readonly keys: readonly string[]
}

const systems: Readonly<Record<keyof typeof originalNames, System>> = {
  kyma: {
    functions: {
      kyma: [],
      'mandatory-modules-install': [],
      'mandatory-modules-delete': [],
      manifest: [],
      purge: [],
      watcher: [],
      'gateway-certificate': [],
      'runtime-certificate': [],
      'runtime-events': [],
      'runtime-watcher': ['shared/agent'],
    },
    keysIn: ['shared/kyma'],
    keys: [
      ...[kymaNames.labels, kymaNames.annotations, kymaNames.finalizers, kymaNames.fieldManagers].flatMap(names =>
        Object.values<string>(names),
      ),
      digestKey(engineName),
    ],
  },
  istio: {
    functions: { istio: [] },
    keysIn: ['shared/api/istio'],
    keys: [...Object.values(istioNames.fieldManagers), digestKey(istioNames.prefix)],
  },
  garden: {
    functions: {
      'garden-admission': [],
      'garden-care': [],
      'garden-network-policy': [],
      'garden-reconcile': [],
      'garden-reference': [],
    },
    keysIn: ['shared/api/garden'],
    reasons: {
      'garden-care': [workloadsMissing(statefulSets, []), workloadUnhealthy(statefulSets, '', '')].map(
        ({ reason }) => reason,
      ),
      'garden-reconcile': ['Reconciled'],
    },
    keys: [
      fieldManager,
      ...(['follows', 'followed-by', 'replaces'] as const).flatMap(mark => Object.keys(successionMark(mark, ''))),
    ],
  },
  component: {
    functions: { component: ['shared/component', 'shared/runtime/component'] },
    keys: [],
  },
}

const linesIn = (folders: readonly string[]): { file: string; line: string }[] =>
  folders
    .flatMap(folder => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .flatMap(file => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n')
      return lines.filter(line => !/^\s*(\/|\*|import)/.test(line)).map(line => ({ file, line }))
    })

/** Metrics, and reasons of Events and conditions: what is no reason in these lines are types of conditions. */
const namesIn = (folders: readonly string[]): string[] => {
  const lines = linesIn(folders).filter(
    ({ file, line }) => file.endsWith('reasons.ts') || /reason|Corrected|_/.test(line),
  )
  const names = lines.flatMap(({ line }) => [
    ...allIn(line, /(?<=['"])[A-Z][a-z]+(?:[A-Z][A-Za-z]+)+(?=['"])/g),
    ...allIn(line, /(?<=^ {2})[A-Z][a-z]+(?:[A-Z][A-Za-z]+)+(?=: \{)/g),
    ...allIn(line, /(?<=')(?:lifecycle_mgr|watcher|reconcile|istio|espalier)_[a-z_]+(?=')/g),
  ])
  return [...new Set(names)].filter(name => !isNoReason.has(name))
}

const allIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found)

/** Conditions of Kymas have one reason: these are their types. The others are kinds, and reasons that Kubernetes gives or takes. */
const isNoReason = new Set([
  ...['ModuleCatalog', 'ModuleCR', 'VirtualService', 'CRDsSync'],
  ...['Duplicate', 'Forbidden', 'Invalid', 'NotSupported', 'Required'].map(cause => `FieldValue${cause}`),
  ...['RuntimeDefault', 'BadRequest', 'KubeConfigFile', 'NewReplicaSetAvailable', 'ProgressDeadlineExceeded'],
  ...['ContainerFailed', 'ContainersNotReady', 'CrashLoopBackOff', 'InternalError'],
])

const bases: Readonly<Record<string, string>> = {
  engineName,
  prefix: istioNames.prefix,
  'istioNames.prefix': istioNames.prefix,
  reconcilerName: '<name>',
  'engine.name': '<name>',
  ...Object.fromEntries(Object.entries(prefixes).map(([name, base]) => [`prefixes.${name}`, base])),
}

/** Keys of the projects that these functions belong to; an API version is none. */
const keysIn = (folders: readonly string[]): string[] =>
  linesIn(folders).flatMap(({ line }) => [
    ...allIn(line, /(?<=')[a-z.-]+\.(?:gardener\.cloud|kyma-project\.io|espalier\.dev)\/(?!v\d)[A-Za-z-]+(?=')/g),
    ...[...line.matchAll(/`\$\{([A-Za-z.]+)\}\/([a-z-]+)`/g)].flatMap(([, base = '', key]) =>
      bases[base] === undefined ? [] : [`${bases[base]}/${key}`],
    ),
  ])

/** The first cells of the table below "Differences". */
const tableOf = (name: string): string[] => {
  const text = readFileSync(join(root, 'functions', name, 'README.md'), 'utf8')
  const [, section = ''] = text.split(/^## Differences.*$/m)
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter(line => line.startsWith('| '))
  return rows.flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, one = '']) => one))
}

const ids: Readonly<Record<keyof typeof originalNames, string>> = {
  kyma: 'KY-329',
  istio: 'IS-320',
  garden: 'GA-382',
  component: 'CO-138',
}

for (const [system, { functions, keysIn: more = [], reasons = {}, keys }] of Object.entries(systems) as [
  keyof typeof originalNames,
  System,
][])
  t.test(
    `${ids[system]} names of ${system} that the Go operator lacks are in tables of differences, and nothing else is`,
    t => {
      const original: ReadonlySet<string> = originalNames[system]
      const isOurs = (name: string) => !original.has(name)
      const folders = Object.entries(functions).flatMap(([name, beside]) => [`functions/${name}`, ...beside])
      const shared = [...new Set([...keys, ...keysIn([...folders, ...more])])].filter(isOurs)
      const listed = new Set<string>()
      for (const [name, beside] of Object.entries(functions)) {
        const own = [...namesIn([`functions/${name}`, ...beside]), ...(reasons[name] ?? [])].filter(isOurs)
        const table = tableOf(name)
        for (const one of table) listed.add(one)
        t.strictSame(
          table.filter(one => !shared.includes(one)).toSorted(),
          own.toSorted(),
          `functions/${name}/README.md lists its reasons and metrics`,
        )
      }
      t.strictSame(
        shared.filter(one => !listed.has(one)),
        [],
        'a README lists each label, annotation, finalizer and field manager',
      )
      t.end()
    },
  )

t.test('KY-329 IS-320 GA-382 CO-138 names are found in code', t => {
  const least: readonly [string, number][] = [
    ['kyma', 15],
    ['istio', 20],
    ['garden-care', 12],
    ['garden-reconcile', 10],
    ['component', 3],
  ]
  for (const [name, count] of least)
    t.ok(namesIn([`functions/${name}`, ...(name === 'component' ? ['shared/component'] : [])]).length >= count, name)
  t.ok(keysIn(['functions/garden-reconcile']).length > 30)
  t.end()
})
