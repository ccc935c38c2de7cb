// The bring-up of a Garden: one row per step, judged again in every call (flow.ts). A row says which steps must be ready before, which
// objects the step creates, and what the step waits for. deletion.ts has the order in which these objects are deleted.
import { apiserver, apiserverFaults } from '../desired/apiserver/apiserver.ts'
import { apiserverService, apiserverSni, gatewayWaits } from '../desired/apiserver/exposure.ts'
import { kubeApiServerSecrets } from '../desired/apiserver/kube-apiserver.ts'
import { gardenerControlPlane } from '../desired/control-plane/control-plane.ts'
import {
  discoveryServer,
  discoveryServerFaults,
  discoveryServerSecrets,
  lacksDiscoveryServer,
} from '../desired/control-plane/discovery-server.ts'
import { controllerManager, controllerManagerSecrets } from '../desired/controller-manager.ts'
import { etcdObjects, etcdSecrets } from '../desired/etcds.ts'
import { gardenAccess } from '../desired/garden-access.ts'
import {
  gardenerApiserver,
  gardenerApiserverFaults,
  gardenerApiserverSecrets,
  gardenerApiserverWaits,
} from '../desired/gardener-apiserver.ts'
import { logging } from '../desired/logging/logging.ts'
import { observability } from '../desired/observability.ts'
import { gardenCrds } from '../desired/runtime/crds.ts'
import { etcdDruid } from '../desired/runtime/etcd-druid.ts'
import { gardenNamespaceObject, gardenSystem } from '../desired/runtime/garden-system.ts'
import { istioGateway, istioIngressNamespace } from '../desired/runtime/istio-gateway.ts'
import { istiod } from '../desired/runtime/istiod.ts'
import { nginxIngress } from '../desired/runtime/nginx-ingress.ts'
import { resourceManager } from '../desired/runtime/resource-manager.ts'
import { foreignIstiodWaits, vpaFaults } from '../desired/runtime/switches.ts'
import { verticalPodAutoscaler } from '../desired/runtime/vertical-pod-autoscaler.ts'
import { bootstrapSecrets, virtualResourceManager } from '../desired/virtual-resource-manager.ts'
import { virtualSystem } from '../desired/virtual-system.ts'
import type { GardenStep } from './flow.ts'
import { rotationChanges, rotationLongWaits, rotationWaits } from './rotation/rotation-moves.ts'
import { authorityNames } from './secrets/secret-configs.ts'
import { genericKubeconfigName, tokenSecretSteps } from './token-secrets.ts'

const nothing = () => []

export const steps: readonly GardenStep[] = [
  { name: 'namespace', needs: [], objects: world => [gardenNamespaceObject(world)] },
  { name: 'crds', needs: [], objects: gardenCrds },
  { name: 'authorities', needs: ['namespace'], secrets: () => authorityNames, objects: nothing },
  {
    name: 'generic-kubeconfig',
    needs: ['authorities'],
    objects: nothing,
    secrets: () => ['generic-token-kubeconfig'],
    changes: genericKubeconfigName,
  },
  {
    name: 'resource-manager',
    needs: ['crds', 'authorities'],
    faults: vpaFaults,
    objects: resourceManager,
    secrets: () => ['ca-garden-runtime', 'gardener-resource-manager-server'],
    images: ['gardener-resource-manager'],
  },
  {
    name: 'runtime-components',
    needs: ['resource-manager'],
    secrets: () => ['ca-garden-runtime', 'vpa-admission-controller-server'],
    images: ['etcd-druid', 'vpa-admission-controller', 'vpa-recommender', 'vpa-updater'],
    objects: world => [...gardenSystem(), ...verticalPodAutoscaler(world), ...etcdDruid(world)],
  },
  {
    name: 'nginx-ingress',
    needs: ['resource-manager'],
    objects: nginxIngress,
    images: ['nginx-ingress-controller', 'ingress-default-backend'],
  },
  {
    name: 'istio',
    needs: ['resource-manager'],
    waits: foreignIstiodWaits,
    images: ['istio-proxy', 'istio-istiod'],
    objects: world => [...istiod(world), istioIngressNamespace(world), ...istioGateway(world)],
  },
  {
    name: 'logging',
    needs: ['resource-manager'],
    objects: logging,
    images: ['vali', 'vali-curator', 'fluent-operator', 'fluent-bit', 'fluent-bit-plugin-installer'],
  },
  { name: 'runtime-system', needs: ['generic-kubeconfig', 'runtime-components', 'istio'], objects: nothing },
  {
    name: 'etcds',
    needs: ['runtime-system'],
    secrets: etcdSecrets,
    objects: etcdObjects,
  },
  {
    name: 'apiserver-service',
    needs: ['runtime-system'],
    objects: world => [apiserverService(world)],
    waits: gatewayWaits,
  },
  { name: 'apiserver-sni', needs: ['apiserver-service'], objects: apiserverSni },
  {
    name: 'apiserver',
    needs: ['etcds'],
    secrets: () => kubeApiServerSecrets,
    images: ['kube-apiserver'],
    faults: apiserverFaults,
    objects: apiserver,
  },
  {
    name: 'controller-manager',
    needs: ['generic-kubeconfig', 'apiserver'],
    secrets: () => controllerManagerSecrets,
    images: ['kube-controller-manager'],
    objects: controllerManager,
  },
  {
    name: 'virtual-resource-manager',
    needs: ['generic-kubeconfig', 'apiserver'],
    secrets: (world, now) => [
      ...(['gardener-resource-manager-server', 'generic-token-kubeconfig'] as const),
      ...bootstrapSecrets(world, now),
    ],
    images: ['gardener-resource-manager'],
    objects: virtualResourceManager,
  },
  {
    name: 'access',
    needs: ['virtual-resource-manager'],
    secrets: () => ['ca'],
    objects: gardenAccess,
    changes: tokenSecretSteps,
  },
  { name: 'virtual-system', needs: ['virtual-resource-manager'], objects: virtualSystem },
  {
    name: 'gardener-apiserver',
    needs: ['etcds', 'virtual-resource-manager'],
    secrets: () => gardenerApiserverSecrets,
    images: ['gardener-apiserver'],
    faults: gardenerApiserverFaults,
    objects: gardenerApiserver,
    waits: gardenerApiserverWaits,
  },
  {
    name: 'gardener-control-plane',
    needs: ['gardener-apiserver'],
    secrets: () => ['ca-gardener', 'gardener-admission-controller', 'generic-token-kubeconfig'],
    images: ['gardener-admission-controller', 'gardener-controller-manager', 'gardener-scheduler'],
    objects: gardenerControlPlane,
  },
  {
    name: 'discovery-server',
    needs: ['gardener-apiserver'],
    skipIf: lacksDiscoveryServer,
    secrets: discoveryServerSecrets,
    faults: discoveryServerFaults,
    images: ['gardener-discovery-server'],
    objects: discoveryServer,
  },
  {
    name: 'observability',
    needs: ['resource-manager', 'apiserver', 'gardener-apiserver'],
    secrets: () => ['observability-ingress', 'generic-token-kubeconfig'],
    images: ['kube-state-metrics', 'plutono', 'gardener-metrics-exporter'],
    objects: observability,
  },
  {
    name: 'rotation',
    needs: ['controller-manager', 'access', 'virtual-system', 'gardener-control-plane', 'observability'],
    objects: nothing,
    changes: rotationChanges,
    waits: rotationWaits,
    longWaits: rotationLongWaits,
  },
]
