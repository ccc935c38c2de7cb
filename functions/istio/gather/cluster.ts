// Reads the facts of the cluster: nodes, feature switches and load balancer.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { own, valueAt } from '../../../shared/core/json/fields.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { readYaml } from '../../../shared/core/yaml/read.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { type ClusterFacts, featuresOf, isOfAmazon, type NodeFacts } from '../rules/cluster-facts.ts'
import type { IstioSettings } from '../settings.ts'

const { control, mesh } = istioNames.namespaces
const configMap = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })
const gatewayService = { apiVersion: 'v1', kind: 'Service', namespace: mesh, name: 'istio-ingressgateway' }

export const readCluster = async (
  reads: Reads,
  { experimental }: Pick<IstioSettings, 'experimental'>,
): Promise<ClusterFacts> => {
  const [nodes, features, provisioning] = await Promise.all([
    readNodes(reads),
    reads.get(configMap(control, 'istio-features')),
    experimental === 'true' ? reads.get(configMap(control, 'kyma-provisioning-info')) : undefined,
  ])
  const [elb, service] = await Promise.all(
    nodes.some(isOfAmazon)
      ? [
          reads.get(configMap(mesh, 'elb-deprecated'), { metadataOnly: true }),
          reads.get(gatewayService, { metadataOnly: true }),
        ]
      : [],
  )
  return {
    nodes,
    features: featuresOf(features),
    isDualStack: hasBothFamilies(provisioning),
    wantsElb: elb !== undefined,
    hasNlb: service?.metadata.annotations?.['service.beta.kubernetes.io/aws-load-balancer-type'] === 'nlb',
  }
}

/** Keeps only needed fields, because there may be many Nodes. */
const readNodes = async (reads: Reads): Promise<NodeFacts[]> => {
  const nodes = await reads.list({ apiVersion: 'v1', kind: 'Node', keep: essentials })
  return nodes.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).map(nodeFacts)
}

const essentials = ({ apiVersion, kind, metadata: { name }, spec, status }: KubeObject): KubeObject => {
  const { capacity, nodeInfo } = mapOrEmpty(status)
  return {
    apiVersion,
    kind,
    metadata: { name },
    spec: { providerID: mapOrEmpty(spec).providerID },
    status: { capacity, nodeInfo },
  }
}

const nodeFacts = (node: KubeObject): NodeFacts => {
  const text = (...path: string[]): string => String(valueAt(node, ...path) ?? '')
  return {
    cpu: text('status', 'capacity', 'cpu'),
    memory: text('status', 'capacity', 'memory'),
    kubeletVersion: text('status', 'nodeInfo', 'kubeletVersion'),
    providerId: text('spec', 'providerID'),
    osImage: text('status', 'nodeInfo', 'osImage'),
  }
}

/** If the ConfigMap contains invalid YAML, the cluster counts as single-stack. */
const hasBothFamilies = (provisioning: KubeObject | undefined): boolean => {
  const text = own(mapOrEmpty(provisioning?.data), 'details')
  const details = attempted(() => readYaml(String(text ?? '')))
  return 'read' in details && valueAt(details.read, 'networkDetails', 'dualStackIPEnabled') === true
}
