// A chart with its subcharts in memory, as its files say. The folders dependencies/ and values/ apply conditions and values.
import type { JsonMap } from '../../../core/json/json.ts'
import type { Files } from '../../generator.ts'

export type Chart = {
  /** Its own, or the alias under which its parent uses it. */
  readonly name: string
  readonly metadata: Metadata
  /** values.yaml. */
  readonly values: JsonMap
  /** values.schema.json. */
  readonly schema?: string
  /** Below `templates/`, by path in the chart. */
  readonly templates: Files
  /** What templates may read: all but templates, subcharts and the files that Helm keeps for itself. */
  readonly files: Files
  readonly charts: readonly Chart[]
}

/** Chart.yaml. Templates see all of it; the named fields are those that Helm itself acts upon. */
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
  /** Comma-separated paths in the values; the first that leads to a boolean decides. */
  readonly condition: string
  readonly tags: readonly string[]
  readonly importValues: readonly unknown[]
  readonly fields: JsonMap
}

/** What its parent's values and conditions call it. */
export const usedName = (dependency: Dependency): string => dependency.alias || dependency.name

export const isLibrary = (chart: Chart): boolean => chart.metadata.type === 'library'

/** It and all charts below it, each before those it depends on. */
export const withSubcharts = (chart: Chart): Chart[] => [chart, ...chart.charts.flatMap(withSubcharts)]
