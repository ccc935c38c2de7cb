// The charts of this folder, each with the values it is rendered with: charts/NAME/chart and charts/NAME/values/*.yaml. What
// a chart asks of the cluster, beyond what Helm assumes, stands in charts/NAME/cluster.yaml.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Files, TargetCluster } from '../../shared/render/generator.ts'

export type ChartCase = {
  /** `greeter/public`. */
  readonly name: string
  /** Folder of the chart. */
  readonly chart: string
  /** File of the values. */
  readonly values: string
  readonly cluster: TargetCluster
}

const folder = join(import.meta.dirname, 'charts')

export const chartNames = (): string[] => readdirSync(folder).sort()

/** Every chart with every file of values. */
export const chartCases = (): ChartCase[] =>
  chartNames().flatMap(name =>
    readdirSync(join(folder, name, 'values'))
      .sort()
      .map(file => ({
        name: `${name}/${file.replace('.yaml', '')}`,
        chart: join(folder, name, 'chart'),
        values: join(folder, name, 'values', file),
        cluster: clusterOf(name),
      })),
  )

/** All files below a folder, by path in it. */
export const filesIn = (root: string): Files =>
  new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path.slice(root.length + 1), readFileSync(path)]),
  )

type Asked = { readonly kubeVersion?: string; readonly apiVersions?: readonly string[] }

const clusterOf = (name: string): TargetCluster => {
  const file = join(folder, name, 'cluster.yaml')
  const asked: Asked = existsSync(file) ? (parse(readFileSync(file, 'utf8')) ?? {}) : {}
  return {
    version: asked.kubeVersion ?? 'v1.35.0',
    apiVersions: [...assumed, ...(asked.apiVersions ?? [])],
  }
}

/** What Helm takes for served when it has no cluster to ask. */
const assumed = Object.entries({
  '': 'v1',
  'admissionregistration.k8s.io': 'v1 v1alpha1 v1beta1',
  'internal.apiserver.k8s.io': 'v1alpha1',
  apps: 'v1 v1beta1 v1beta2',
  'authentication.k8s.io': 'v1 v1alpha1 v1beta1',
  'authorization.k8s.io': 'v1 v1beta1',
  autoscaling: 'v1 v2 v2beta1 v2beta2',
  batch: 'v1 v1beta1',
  'certificates.k8s.io': 'v1 v1beta1 v1alpha1',
  'coordination.k8s.io': 'v1alpha2 v1beta1 v1',
  'discovery.k8s.io': 'v1 v1beta1',
  'events.k8s.io': 'v1 v1beta1',
  extensions: 'v1beta1',
  'flowcontrol.apiserver.k8s.io': 'v1 v1beta1 v1beta2 v1beta3',
  'networking.k8s.io': 'v1 v1beta1',
  'node.k8s.io': 'v1 v1alpha1 v1beta1',
  policy: 'v1 v1beta1',
  'rbac.authorization.k8s.io': 'v1 v1beta1 v1alpha1',
  'resource.k8s.io': 'v1 v1beta2 v1beta1 v1alpha3',
  'scheduling.k8s.io': 'v1alpha1 v1beta1 v1',
  'storage.k8s.io': 'v1beta1 v1 v1alpha1',
  'storagemigration.k8s.io': 'v1beta1',
  'apiextensions.k8s.io': 'v1beta1 v1',
}).flatMap(([group, versions]) => versions.split(' ').map(version => (group ? `${group}/${version}` : version)))
