// spec.virtualCluster of a Garden: the cluster in which Gardener's API lives. It has no nodes.
import {
  about,
  defaulted,
  duration,
  immutable,
  int32,
  nonEmptyText,
  object,
  options,
  quantity,
  raw,
  type Schema,
  text,
} from '../schema.ts'
import { gardener } from './gardener.ts'
import { kubeAPIServer } from './kube-apiserver.ts'
import { autoscaling, domains, featureGates, idle, localRef, networks, olderDomain } from './parts.ts'

const timeOfDay: Schema<string> = {
  ...about('HHMMSS and the offset from UTC, such as 220000+0100.', text),
  pattern: '([0-1][0-9]|2[0-3])[0-5][0-9][0-5][0-9]([+](0[0-9]|1[0-4])|[-](0[0-9]|1[0-2]))00',
}

const storage = options({ capacity: defaulted(quantity, '10Gi'), className: text })

const backup = object(
  { provider: immutable(text, 'Provider is immutable'), secretRef: localRef },
  {
    bucketName: about(
      'An existing bucket; without it no backups are made.',
      immutable(text, 'BucketName is immutable'),
    ),
    region: idle(immutable(text, 'Region is immutable')),
    providerConfig: idle(raw),
  },
)

const etcd = options({
  main: options({ storage, autoscaling, backup }),
  events: about('The etcd that holds Events.', options({ storage, autoscaling })),
})

const kubeControllerManager = options({
  certificateSigningDuration: defaulted(duration, '48h'),
  featureGates,
  horizontalPodAutoscaler: idle(raw),
  nodeCIDRMaskSize: idle(int32),
  nodeCIDRMaskSizeIPv6: idle(int32),
  nodeMonitorGracePeriod: idle(text),
  podEvictionTimeout: idle(text),
})

export const virtualCluster = about(
  'The virtual garden: an API server without nodes that holds the API of Gardener.',
  object(
    {
      dns: options({ domains, domain: olderDomain }),
      gardener,
      kubernetes: object({ version: nonEmptyText }, { kubeAPIServer, kubeControllerManager }),
      maintenance: object({ timeWindow: object({ begin: timeOfDay, end: timeOfDay }) }),
      networking: object({ services: networks }),
    },
    {
      etcd,
      controlPlane: options({ highAvailability: about('Its presence asks for several replicas.', options({})) }),
    },
  ),
)
