// What templates of kustomizations can call besides the functions that charts have too: their own files and the target.
import type { Files, TargetCluster } from '../../generator.ts'
import { globMatcher } from '../../glob.ts'
import { Failure } from '../../template/run/failure.ts'
import { type FunctionTable, fn, goValue, within } from '../../template/template.ts'
import { textOf } from '../../template/value/bytes.ts'
import { int64, mapOf, Struct, textList, typedList } from '../../template/value/value.ts'
import { groupAndVersion } from '../objects/identity.ts'
import { cleanPath } from './folder.ts'

export const kustomizeFunctions = (readable: Files): FunctionTable => ({
  listFiles: fn('string', pattern => {
    const matches = globMatcher(pattern)
    if (matches === undefined) throw new Failure(`listFiles: ${pattern} is no pattern`)
    return textList([...readable.keys()].filter(matches).sort())
  }),
  existsFile: fn('string', path => readable.has(cleanPath(path))),
  readFile: fn('string', path => {
    const content = readable.get(cleanPath(path))
    if (content === undefined) throw new Failure(`readFile: ${path} is no file that the kustomization may read`)
    return textOf(content)
  }),
  component: within('', ({ environment }) => goValue(environment.context.component)),
  componentDigest: within('', ({ environment }) => environment.context.componentDigest),
  componentRevision: within('', ({ environment }) => int64(BigInt(environment.context.revision))),
  namespace: within('', ({ environment }) => environment.context.namespace),
  name: within('', ({ environment }) => environment.context.name),
  kubernetesVersion: within('', ({ environment }) => versionInfo(environment.context.cluster)),
  apiResources: within('', ({ environment }) => resourceLists(environment.context.cluster)),
})

const versionInfo = ({ version }: TargetCluster): Struct => {
  const [, major = '', minor = ''] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? []
  const fields = mapOf([
    ['Major', major],
    ['Minor', minor],
    ['GitVersion', version],
  ])
  return new Struct('*version.Info', { fields, text: version })
}

const resourceLists = ({ apiVersions }: TargetCluster) => {
  const kinds = Map.groupBy(apiVersions.filter(isKind), entry => entry.slice(0, entry.lastIndexOf('/')))
  const served = apiVersions.filter(entry => !isKind(entry)).sort()
  return typedList(
    '*v1.APIResourceList',
    served.map(groupVersion => {
      const resources = (kinds.get(groupVersion) ?? []).map(entry => resource(groupVersion, entry))
      const fields = mapOf([
        ['GroupVersion', groupVersion],
        ['APIResources', typedList('v1.APIResource', resources)],
      ])
      return new Struct('*v1.APIResourceList', { fields })
    }),
  )
}

const isKind = (entry: string): boolean => /^[A-Z]/.test(entry.slice(entry.lastIndexOf('/') + 1))

const resource = (groupVersion: string, entry: string): Struct => {
  const { group, version } = groupAndVersion(groupVersion)
  const fields = mapOf([
    ['Kind', entry.slice(entry.lastIndexOf('/') + 1)],
    ['Group', group],
    ['Version', version],
  ])
  return new Struct('v1.APIResource', { fields })
}
