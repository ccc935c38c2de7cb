// What a Pod itself wants of its sidecar: it may bring a container istio-proxy along, which the injector lays over its own and notes in an
// annotation, `{"containers":[{"name":"istio-proxy","image":"","resources":{"limits":{"cpu":"2"}}}]}`. An image `auto` is noted as none.
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'

const annotation = 'proxy.istio.io/overrides'

/** The container that the Pod brought along; an empty one where it brought none. */
export const ownProxy = ({ [annotation]: text }: JsonMap): JsonMap => {
  if (!isText(text)) return {}
  const noted = attempted<unknown>(() => JSON.parse(text))
  const { containers, initContainers } = mapOrEmpty('read' in noted ? noted.read : undefined)
  return [...mapsIn(containers), ...mapsIn(initContainers)].find(({ name }) => name === 'istio-proxy') ?? {}
}
