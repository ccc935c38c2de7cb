// A chart with its subcharts, as read from files, before conditions and values are applied.
import type { JsonMap } from '../../../core/json/json.ts'
import type { Files } from '../../generator.ts'
import { parseVersion, satisfies } from '../../template/functions/versions.ts'
import { holds } from '../../template/run/environment.ts'

export type Chart = {
  /** Name in Chart.yaml, or the alias that the parent chart gives. */
  readonly name: string
  readonly metadata: Metadata
  readonly values: JsonMap
  readonly schema?: string
  readonly templates: Files
  /** Files that templates may read: all but templates, subcharts and the files that Helm hides. */
  readonly files: Files
  readonly charts: readonly Chart[]
}

/** Chart.yaml. Templates see all fields; Helm itself only uses the fields named here. */
export type Metadata = {
  readonly apiVersion: 'v1' | 'v2'
  readonly name: string
  readonly version: string
  readonly type: string
  readonly kubeVersion: string
  readonly dependencies: readonly Dependency[]
  readonly fields: JsonMap
}

export type Dependency = {
  readonly name: string
  readonly version: string
  readonly alias: string
  /** Comma-separated paths in the values; the first path with a boolean value decides. */
  readonly condition: string
  readonly tags: readonly string[]
  readonly importValues: readonly unknown[]
  readonly fields: JsonMap
}

/** Name of the subchart in the parent's values and conditions. */
export const usedName = (dependency: Dependency): string => dependency.alias || dependency.name

export const isLibrary = (chart: Chart): boolean => chart.metadata.type === 'library'

/** The chart and all its subcharts. Each chart precedes its own subcharts. */
export const withSubcharts = (chart: Chart): Chart[] => [chart, ...chart.charts.flatMap(withSubcharts)]

export const isVersion = (text: string): boolean => holds(() => parseVersion(text) !== undefined)

export const fits = (version: string, range: string): boolean => holds(() => satisfies(parseVersion(version), range))
