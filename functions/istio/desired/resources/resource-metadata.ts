// The metadata of mesh resources: labels, owner, and a disclaimer for people who want to edit them.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject, ObjectMeta, ObjectRef, OwnerReference } from '../../../../shared/core/objects/object.ts'
import type { ResourceFacts } from './resource-row.ts'

type Labels = Readonly<Record<string, string>>

/** `own` overrides the default labels. */
export const resourceMetadata = (
  { name, namespace }: ObjectRef,
  facts: ResourceFacts,
  own: Labels = {},
): ObjectMeta => ({
  name,
  namespace,
  labels: { ...moduleLabels(facts), ...own },
  ...markedAsOurs(namespace, facts),
})

/** For resources whose only labels are the module's and `own`. */
export const plainMetadata = ({ name, namespace }: ObjectRef, facts: ResourceFacts, own: Labels): ObjectMeta => ({
  name,
  namespace,
  labels: { [istioNames.labels.module]: istioNames.module, ...own },
  ...markedAsOurs(namespace, facts),
})

const moduleLabels = ({ version }: ResourceFacts): Record<string, string> => ({
  [istioNames.labels.module]: istioNames.module,
  'app.kubernetes.io/component': 'operator',
  'app.kubernetes.io/part-of': 'istio',
  'app.kubernetes.io/name': 'istio-operator',
  'app.kubernetes.io/instance': 'istio-operator-default',
  'app.kubernetes.io/version': version,
})

const markedAsOurs = (
  namespace: string,
  { istio }: ResourceFacts,
): Pick<ObjectMeta, 'annotations' | 'ownerReferences'> => ({
  annotations: { [istioNames.annotations.disclaimer]: istioNames.disclaimer },
  ...(namespace === istio.metadata.namespace && { ownerReferences: [ownerReference(istio)] }),
})

/** Only for the Istio's namespace. In another namespace the garbage collector finds no owner and deletes the resource. */
const ownerReference = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
})
