// cert-manager: keeps an installation of cert-manager, with the issuers and certificates that its spec brings along.
import { component, helmChart, type KubeObject, kustomizeObjects, substitute, transformable } from 'espalier'
import type { CertManagerSpec } from '../../kinds/cert-manager.ts'
import { forgetFinishedRequests, removeOwnSecrets, waitUntilServed } from './hooks.ts'
import { placeOf } from './placement.ts'
import { refuseOtherGroups } from './refuse-other-groups.ts'
import { refuseSecond } from './refuse-second.ts'

/** The chart is as it came; what is different here is a patch. */
const patches = [
  {
    target: { kind: 'Deployment' },
    patch: '[{ "op": "add", "path": "/spec/template/spec/priorityClassName", "value": "system-cluster-critical" }]',
  },
]

const chart = transformable(helmChart(import.meta.dirname, 'chart'))
  .withParameters(({ namespace, name, additionalResources, ...values }, _context, into) => ({
    ...values,
    fullnameOverride: into.name,
  }))
  .withObjects(kustomizeObjects({ patches }))

export const certManagerFunction = component({
  name: 'cert-manager.cs.sap.com',
  kind: { group: 'operator.kyma-project.io', version: 'v1alpha1', kind: 'CertManager', plural: 'certmanagers' },
  generator: async (context, namespace, name, spec) => {
    const { additionalResources = [] } = spec as CertManagerSpec
    const own = await chart(context, namespace, name, spec)
    const more = substitute({ NAMESPACE: namespace, NAME: name })(additionalResources as KubeObject[])
    return [...own, ...more]
  },
  options: {
    configuration: {
      placement: component => {
        const { namespace, name } = placeOf(component)
        return { deploymentNamespace: namespace, deploymentName: name }
      },
    },
  },
  hooks: {
    preReconcile: [refuseSecond, refuseOtherGroups],
    postReconcile: [waitUntilServed],
    preDelete: [forgetFinishedRequests],
    postDelete: [removeOwnSecrets],
  },
})
