// Where Prometheus scrapes a Pod, by its annotations. If metrics are merged, the injector sets them to the proxy's port, except on a Pod
// that names that port itself, or does not want to be scraped.
import { isText, type JsonMap } from '../../../../shared/core/json/json.ts'

export type MetricsWish = {
  /** Metrics of the application and the proxy are merged, unless a Pod says otherwise. */
  readonly isMerged: boolean
  /** The port at which the proxy serves them. */
  readonly port: string
}

/** Whether the injector would set these annotations differently today. */
export const showsMetricsElsewhere = (annotations: JsonMap, { isMerged, port }: MetricsWish): boolean => {
  if (said(annotations, 'prometheus_io_scrape').some(text => isFalse.test(text))) return false
  const own = annotations['prometheus.istio.io/merge-metrics']
  if (isText(own) && isFalse.test(own)) return false
  if (isMerged || (isText(own) && isTrue.test(own))) return !said(annotations, 'prometheus_io_port').includes(port)
  return annotations['prometheus.io/path'] === '/stats/prometheus'
}

/** A boolean as Go parses it: `1`, `t`, `true` and so on. */
const isTrue = /^(?:1|t|T|TRUE|true|True)$/
const isFalse = /^(?:0|f|F|FALSE|false|False)$/

/** Prometheus treats keys alike that differ in punctuation only: `prometheus.io/port`, `prometheus_io_port`. */
const said = (annotations: JsonMap, label: string): string[] =>
  Object.entries(annotations).flatMap(([key, value]) =>
    isText(value) && key.replaceAll(/[^a-zA-Z0-9_]/g, '_') === label ? [value] : [],
  )
