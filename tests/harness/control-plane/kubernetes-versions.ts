// `node tests/harness/control-plane/kubernetes-versions.ts` writes shared/api/kubernetes/*.json anew from the sources of Kubernetes: which
// feature gates, admission plugins and APIs each minor version knows. Only names and versions are taken. It needs Go, which
// fetches the sources; run it when a minor version is added below. tests/cluster/kubernetes-versions.test.ts holds the
// result against the programs themselves.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The minor versions a virtual garden may have, and the release of each whose sources are read. */
const releases: Readonly<Record<string, string>> = {
  '1.32': '32.0',
  '1.33': '33.0',
  '1.34': '34.0',
  '1.35': '35.0',
  '1.36': '36.3',
}
const minors = Object.keys(releases)

/** Folder of a module in Go's cache. */
const sourcesOf = (module: string, version: string): string => {
  const answer = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8' })
  return (JSON.parse(answer) as { Dir: string }).Dir
}

type Sources = Readonly<Record<'kubernetes' | 'apiserver' | 'componentBase' | 'clientGo', string>>

const sources = (release: string): Sources => ({
  kubernetes: sourcesOf('k8s.io/kubernetes', `v1.${release}`),
  apiserver: sourcesOf('k8s.io/apiserver', `v0.${release}`),
  componentBase: sourcesOf('k8s.io/component-base', `v0.${release}`),
  clientGo: sourcesOf('k8s.io/client-go', `v0.${release}`),
})

type Gate = { name: string; versionedSpecs: { version: string; default: boolean; lockToDefault: boolean }[] }

/**
 * Kubernetes keeps lists of its gates beside the tests that check them. The lists lack the gates of client-go and the switches for whole stages. Up
 * to 1.35 they name a gate by its Go identifier, which is not always the name that a flag takes.
 */
const gatesOf = ({ kubernetes, componentBase, clientGo }: Sources): Gate[] => {
  const files = globSync(
    'test/{featuregates_linter/test_data,compatibility_lifecycle/reference}/*versioned_feature_list.yaml',
    {
      cwd: kubernetes,
    },
  )
  const listed = files.flatMap(
    file => parse(readFileSync(join(kubernetes, file), 'utf8'), { version: '1.1' }) as Gate[],
  )
  const flagNames = flagNamesIn(readFileSync(join(kubernetes, 'pkg', 'features', 'kube_features.go'), 'utf8'))
  const gates = listed.map(gate => ({ ...gate, name: flagNames.get(gate.name) ?? gate.name }))
  const text = readFileSync(join(componentBase, 'featuregate', 'feature_gate.go'), 'utf8')
  const stages = [...text.matchAll(/^\s*all(?:Alpha|Beta)Gate\s+Feature\s*=\s*"(\w+)"/gm)].map(([, name = '']) => ({
    name,
    versionedSpecs: [{ version: '1.0', default: false, lockToDefault: false }],
  }))
  return uniqueGates([...gates, ...stages, ...clientGates(clientGo)])
}

/** The name by which a flag sets a gate, by the Go identifier of the gate: `CPUCFSQuotaPeriod` is `CustomCPUCFSQuotaPeriod`. */
const flagNamesIn = (text: string): Map<string, string> =>
  new Map([...text.matchAll(declaration)].map(([, identifier = '', name = '']) => [identifier, name]))

const declaration = /^\s*(\w+)\s+(?:featuregate\.)?Feature\s*=\s*"(\w+)"$/gm

const uniqueGates = (gates: readonly Gate[]): Gate[] => [...new Map(gates.map(gate => [gate.name, gate])).values()]

const clientGates = (clientGo: string): Gate[] => {
  const text = readFileSync(join(clientGo, 'features', 'known_features.go'), 'utf8')
  return [...flagNamesIn(text)].map(([identifier, name]) => {
    const [, specs = ''] = new RegExp(`^\\t${identifier}: \\{\\n(.*?)^\\t\\},`, 'ms').exec(text) ?? []
    const versioned = [...specs.matchAll(/MustParse\("([\d.]+)"\), Default: (true|false)(.*)$/gm)]
    const versionedSpecs = versioned.map(([, version = '', value, rest = '']) => ({
      version,
      default: value === 'true',
      lockToDefault: rest.includes('LockToDefault: true'),
    }))
    return { name, versionedSpecs }
  })
}

/** In the order in which the API server runs them. */
const pluginsOf = ({ kubernetes, apiserver }: Sources): string[] => {
  const text = readFileSync(join(kubernetes, 'pkg/kubeapiserver/options/plugins.go'), 'utf8')
  const folders = new Map(
    [...text.matchAll(/^\s*(\w+ )?"k8s\.io\/(kubernetes|apiserver)\/([^"]+)"/gm)].map(
      ([, alias, module, path = '']) => [
        alias?.trim() ?? path.split('/').at(-1) ?? '',
        join(module === 'kubernetes' ? kubernetes : apiserver, path),
      ],
    ),
  )
  const [, ordered = ''] = /AllOrderedPlugins = \[\]string\{(.*?)\n\}/s.exec(text) ?? []
  return [...ordered.matchAll(/^\s*(\w+)\.PluginName/gm)].map(([, alias = '']) =>
    pluginName(folders.get(alias) ?? alias),
  )
}

const pluginName = (folder: string): string => {
  const text = globSync('*.go', { cwd: folder }).map(file => readFileSync(join(folder, file), 'utf8'))
  const [, name] = /PluginName\s*(?:string\s*)?=\s*"(\w+)"/.exec(text.join('\n')) ?? []
  if (name === undefined) throw new Error(`no plugin's name in ${folder}`)
  return name
}

type Discovered = {
  items: { metadata: { name?: string }; versions: { version: string; resources?: { resource: string }[] }[] }[]
}

/**
 * Kubernetes keeps the answers of its API server to discovery with everything turned on. The names are those of `--runtime-config`: `v1`, `v1/pods`,
 * `apps/v1`, `apps/v1/deployments`.
 */
const apisOf = ({ kubernetes }: Sources): string[] => {
  const read = (file: string) => JSON.parse(readFileSync(join(kubernetes, 'api', 'discovery', file), 'utf8'))
  const core = (read('api__v1.json') as { resources: { name: string }[] }).resources.map(({ name }) => name)
  const groups = (read('aggregated_v2.json') as Discovered).items.filter(({ metadata }) => metadata.name)
  return [
    ...['v1', ...core.filter(name => !name.includes('/')).map(name => `v1/${name}`)],
    ...groups.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources = [] }) => {
        const groupVersion = `${metadata.name}/${version}`
        return [groupVersion, ...resources.map(({ resource }) => `${groupVersion}/${resource}`)]
      }),
    ),
  ]
}

const minorOf = (version: string): number => Number(version.split('.')[1])

const isLocked = ({ versionedSpecs }: Gate, minor: string): boolean | undefined => {
  const spec = versionedSpecs.findLast(({ version }) => minorOf(version) <= minorOf(minor))
  return spec?.lockToDefault ? spec.default : undefined
}

/** The versions that know a name; empty if all versions know it. */
const range = (known: readonly string[]): { since?: string; until?: string } => {
  const [first, last] = [known[0], known.at(-1)]
  const span = minors.indexOf(last ?? '') - minors.indexOf(first ?? '') + 1
  if (span !== known.length) throw new Error(`${known} has a gap: the data needs another shape`)
  return { ...(first !== minors[0] && { since: first }), ...(last !== minors.at(-1) && { until: last }) }
}

const lock = (found: readonly [string, Gate][]): { lockedSince?: string; lockedTo?: boolean } => {
  const locked = found.flatMap(([minor, gate]) => {
    const value = isLocked(gate, minor)
    return value === undefined ? [] : [{ minor, value }]
  })
  const [first] = locked
  if (first === undefined) return {}
  const isForGood = locked.length === found.length - found.findIndex(([minor]) => minor === first.minor)
  if (!isForGood || locked.some(({ value }) => value !== first.value))
    throw new Error(`${found[0]?.[1].name} does not stay locked: the data needs another shape`)
  return { lockedSince: first.minor, lockedTo: first.value }
}

const all = minors.map(minor => ({ minor, from: sources(releases[minor] ?? '') }))

const byName = <T>(entries: readonly [string, T][]): Map<string, T[]> =>
  new Map(
    [...Map.groupBy(entries, ([name]) => name)]
      .map(([name, found]): [string, T[]] => [name, found.map(([, one]) => one)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )

const gates = byName(
  all.flatMap(({ minor, from }) => gatesOf(from).map((gate): [string, [string, Gate]] => [gate.name, [minor, gate]])),
)

/** The minor versions that know each name. */
const knownIn = (namesOf: (from: Sources) => string[]): Map<string, string[]> =>
  byName(all.flatMap(({ minor, from }) => namesOf(from).map((name): [string, string] => [name, minor])))

/** One line for each name, so that a new version reads well as a difference. */
const write = (file: string, entries: readonly [string, object][]): void => {
  const lines = entries.map(([name, facts]) => `  ${JSON.stringify(name)}: ${JSON.stringify(facts)}`)
  writeFileSync(join(import.meta.dirname, '../../../shared/api/kubernetes', file), `{\n${lines.join(',\n')}\n}\n`)
}

write(
  'feature-gates.json',
  [...gates].map(([name, found]) => [name, { ...range(found.map(([minor]) => minor)), ...lock(found) }]),
)
for (const [file, namesOf] of [
  ['admission-plugins.json', pluginsOf],
  ['apis.json', apisOf],
] as const)
  write(
    file,
    [...knownIn(namesOf)].map(([name, found]) => [name, range(found)]),
  )
