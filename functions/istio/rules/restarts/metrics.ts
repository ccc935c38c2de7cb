// Where Prometheus is led for the metrics of a Pod. The injector leads it to the proxy when they are merged; a Pod that names the proxy's
// port itself, or wants nothing collected, is left as it is.
import { isText, type JsonMap } from '../../../../shared/core/json.ts'

export type MetricsWish = {
  /** Unless a Pod says otherwise. */
  readonly isMerged: boolean
  /** Where the proxy shows them. */
  readonly port: string
}

/** Whether the injector would lead it elsewhere today. */
export const showsMetricsElsewhere = (annotations: JsonMap, { isMerged, port }: MetricsWish): boolean => {
  if (said(annotations, 'prometheus_io_scrape').some(text => isFalse.test(text))) return false
  const own = annotations['prometheus.istio.io/merge-metrics']
  if (isText(own) && isFalse.test(own)) return false
  if (isMerged || (isText(own) && isTrue.test(own))) return !said(annotations, 'prometheus_io_port').includes(port)
  return annotations['prometheus.io/path'] === '/stats/prometheus'
}

/** As Go reads booleans. */
const isTrue = /^(?:1|t|T|TRUE|true|True)$/
const isFalse = /^(?:0|f|F|FALSE|false|False)$/

/** Prometheus takes each spelling of a key that is this one without its signs: `prometheus.io/port`, `prometheus_io_port`. */
const said = (annotations: JsonMap, label: string): string[] =>
  Object.entries(annotations).flatMap(([key, value]) =>
    isText(value) && key.replaceAll(/[^a-zA-Z0-9_]/g, '_') === label ? [value] : [],
  )
