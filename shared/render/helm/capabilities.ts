// `.Capabilities`: the version and APIs of the target cluster, and the Helm version that the chart sees.
import type { TargetCluster } from '../generator.ts'
import { fn } from '../template/value/function.ts'
import { GoMap, mapOf, Struct, textList } from '../template/value/value.ts'

export const capabilities = ({ version, apiVersions }: TargetCluster): Struct =>
  new Struct('*common.Capabilities', {
    fields: new GoMap([
      ['KubeVersion', kubeVersion(version)],
      ['APIVersions', versionSet(apiVersions)],
      ['HelmVersion', helmVersion],
    ]),
  })

/** `v1.33.4-gke.1245000` becomes `v1.33.4`, because Helm compares a chart's kubeVersion with the version without suffix. */
export const plainKubeVersion = (version: string): string => version.split(/[-+]/, 1)[0] ?? ''

const kubeVersion = (version: string): Struct => {
  const [, major = '', minor = ''] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? []
  const plain = plainKubeVersion(version)
  const fields = mapOf([
    ['Version', version],
    ['normalizedVersion', plain],
    ['Major', major],
    ['Minor', minor],
  ])
  const json = mapOf([...fields].filter(([name]) => name !== 'normalizedVersion'))
  return new Struct('common.KubeVersion', {
    fields,
    methods: { GitVersion: fn('', () => version), String: fn('', () => plain) },
    text: plain,
    passed: new Struct('common.KubeVersion', { fields, json }),
  })
}

const versionSet = (apiVersions: readonly string[]): Struct => {
  const known = new Set(apiVersions)
  return new Struct('common.VersionSet', {
    under: textList(apiVersions),
    methods: { Has: fn('string', version => known.has(version)) },
  })
}

const helmBuild = [
  { field: 'Version', key: 'version', value: 'v4.1.4' },
  { field: 'GitCommit', key: 'git_commit', value: '05fa37973dc9e42b76e1d2883494c87174b6074f' },
  { field: 'GitTreeState', key: 'git_tree_state', value: 'clean' },
  { field: 'GoVersion', key: 'go_version', value: 'go1.25.9' },
  { field: 'KubeClientVersion', key: 'kube_client_version', value: 'v1.35' },
]

const helmVersion = new Struct('version.BuildInfo', {
  fields: mapOf(helmBuild.map(({ field, value }) => [field, value])),
  json: mapOf(helmBuild.map(({ key, value }) => [key, value])),
})
