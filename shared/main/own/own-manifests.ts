// The manifests of a user's operator: the definitions of its kinds, and its chart in manifests/helm.
import { existsSync, globSync, lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { CustomResourceDefinition } from '../../api/custom-resource.ts'
import type { Landscape } from '../../api/serverless.ts'
import { isMap } from '../../core/json/json.ts'
import { watchesOf } from '../../deploy/landscape/events.ts'
import { LandscapeRefused } from '../../deploy/landscape/refusal.ts'
import { chartFiles, ownSchema } from '../../deploy/manifests/chart.ts'
import { type GeneratedText, type ManifestFile, yamlText } from '../../deploy/manifests/manifest-files.ts'
import { customResources, definitionFile } from '../../deploy/manifests/manifests.ts'
import { builtLandscape } from '../built-landscape.ts'
import { manifestsFolder } from '../start/install.ts'
import { loadedModule } from './own-functions.ts'

/** The definitions as files of manifests/crds. Rejects with a sentence for users. */
export const ownKinds = async (folder: string, landscape: Landscape): Promise<readonly ManifestFile[]> => {
  const files = globSync('kinds/*.ts', { cwd: folder }).sort()
  const own = await Promise.all(files.map(async file => definitionFile(await definitionIn(join(folder, file)), file)))
  const watched = new Set(watchesOf(landscape).map(({ event }) => `${event.apiVersion.split('/')[0]} ${event.kind}`))
  const carried = customResources().filter(({ objects }) => objects.some(object => watched.has(nameOf(object))))
  return [...own, ...carried.filter(({ path }) => own.every(one => one.path !== path))]
}

const definitionIn = async (file: string): Promise<CustomResourceDefinition> => {
  const { definition } = await loadedModule(file)
  if (isMap(definition) && definition.kind === 'CustomResourceDefinition') return definition as CustomResourceDefinition
  throw new Error(
    `${relative('', file)}: expected export const definition = customResourceDefinition({ … }), found ${definition === undefined ? 'no such export' : 'another value'}`,
  )
}

const nameOf = (object: object): string => {
  const { group, names } = (object as { spec: { group: string; names: { kind: string } } }).spec
  return `${group} ${names.kind}`
}

/** In the package, the chart is beside the programs. */
const source = builtLandscape ? join(import.meta.dirname, 'helm') : join(manifestsFolder, 'helm')

type OwnChart = {
  readonly landscape: Landscape
  readonly version: string
  readonly kinds: readonly ManifestFile[]
}

/** Paths are below the folder of serverless.yml. */
export const ownChart = (parts: OwnChart): GeneratedText[] => {
  const { landscape } = parts
  const text = (file: string): string => readFileSync(join(source, file), 'utf8')
  const schema = ownSchema(JSON.parse(text('values.schema.json')), landscape)
  const copied = globSync(['templates/**/*.*', 'files/test.mjs'], { cwd: source }).sort()
  return [
    ...copied.map(path => ({ path: `manifests/helm/${path}`, text: text(path) })),
    { path: 'manifests/helm/values.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    ...chartFiles({ ...parts, schema, readme: readme(landscape) }),
  ]
}

/** The fields of serverless.yml that contain a namespace. */
const namespaceKeys = ['namespace', 'namespaces', 'resourceNames']

/**
 * The templates replace the namespace in texts by the release's namespace, so no other text may contain it. Throws if the manifests for another
 * namespace have further differences.
 */
export const refuseAmbiguous = (
  landscape: Landscape,
  filesOf: (landscape: Landscape) => readonly ManifestFile[],
): void => {
  const { namespace } = landscape.provider
  const another = `${namespace}-x`
  const movedName = (value: unknown): unknown => (value === namespace ? another : value)
  const moved = (key: string, value: unknown): unknown =>
    namespaceKeys.includes(key) ? (Array.isArray(value) ? value.map(movedName) : movedName(value)) : value
  const textFor = (given: Landscape): string => filesOf(given).map(yamlText).join('')
  const elsewhere: Landscape = JSON.parse(JSON.stringify(landscape, moved))
  if (textFor(landscape).replaceAll(namespace, another) === textFor(elsewhere)) return
  const allowed = `a name that is no part of another one, such as ${landscape.service}-system`
  throw new LandscapeRefused('serverless.yml', [{ path: 'provider.namespace', found: `"${namespace}"`, allowed }])
}

const readme = ({ service, provider: { namespace } }: Landscape): string => `# The chart of ${service}

\`\`\`
helm install ${service} manifests/helm --namespace ${namespace} --create-namespace
\`\`\`

installs what \`manifests/deploy\` holds. \`npm run generate\` writes all files of the chart: changes belong into serverless.yml and the code.
\`helm uninstall\` leaves definitions and their objects (\`crds.keep\`).

## Values

<!-- values -->
<!-- end of values -->
`

/** Folders of manifests/ from which templates read. */
const linked = ['crds', 'deploy', 'grants', 'namespaces', 'rbac', 'webhooks']

/** Creates links to the existing folders, but none with `isCheck`. Returns a line for each missing or superfluous link. */
export const ownChartLinks = (folder: string, isCheck: boolean): string[] =>
  linked.flatMap(name => {
    const [link, target] = [join(folder, 'manifests', 'helm', 'files', name), join('..', '..', name)]
    const found = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(link) : undefined
    const wanted = existsSync(join(folder, 'manifests', name)) ? target : undefined
    if (found === wanted) return []
    if (!isCheck) {
      rmSync(link, { force: true, recursive: true })
      if (wanted !== undefined) symlinkSync(wanted, link)
    }
    return [`manifests/helm/files/${name} ${isCheck ? 'differs' : 'is rewritten'}`]
  })
