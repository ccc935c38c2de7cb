// `.Capabilities`: what the target cluster is and serves, and which Helm the chart may think it is rendered by.
import type { TargetCluster } from '../../generator.ts'
import { fn } from '../../template/value/signature.ts'
import { GoMap, mapOf, Struct, textList } from '../../template/value/value.ts'

export const capabilities = ({ version, apiVersions }: TargetCluster): Struct =>
  new Struct('*common.Capabilities', {
    fields: new GoMap([
      ['KubeVersion', kubeVersion(version)],
      ['APIVersions', versionSet(apiVersions)],
      ['HelmVersion', helmVersion],
    ]),
  })

/** `v1.33.4` of `v1.33.4-gke.1245000`: what a chart's kubeVersion is held against. */
export const plainKubeVersion = (version: string): string => version.replace(/[-+].*$/, '')

const kubeVersion = (version: string): Struct => {
  const [, major = '', minor = ''] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? []
  return new Struct('common.KubeVersion', {
    fields: mapOf([
      ['Version', version],
      ['Major', major],
      ['Minor', minor],
    ]),
    methods: { GitVersion: fn('', () => version) },
    text: plainKubeVersion(version),
  })
}

const versionSet = (apiVersions: readonly string[]): Struct => {
  const known = new Set(apiVersions)
  return new Struct('common.VersionSet', {
    under: textList(apiVersions),
    methods: { Has: fn('string', version => known.has(version)) },
  })
}

/** The version whose behaviour this rendering follows. */
const helmVersion = new Struct('common.HelmVersion', {
  fields: mapOf([
    ['Version', 'v4.1.4'],
    ['GitCommit', ''],
    ['GitTreeState', 'clean'],
    ['GoVersion', ''],
    ['KubeClientVersion', 'v1.35'],
  ]),
})
