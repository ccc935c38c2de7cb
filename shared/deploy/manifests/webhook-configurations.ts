// Makes the webhook configurations of admission functions. The configurations have no caBundle. The function webhook-certificate creates
// the CA in the cluster, finds these configurations by label, and writes the CA into them. Until then failurePolicy applies.
import type { AdmissionSettings, Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { admissionsOf, type EventOfFunction } from '../landscape/events.ts'
import { partLabels, webhookServiceName } from './conventions.ts'

/** One object per type and configuration name. Webhooks are in the order of serverless.yml. */
export const webhookConfigurations = (landscape: Landscape): KubeObject[] =>
  [...Map.groupBy(admissionsOf(landscape), ({ event }) => `${event.configuration} ${event.type}`).values()].flatMap(
    ([first, ...others]) =>
      first ? [webhookConfiguration([first, ...others], landscape.provider.namespace, first.event)] : [],
  )

const webhookConfiguration = (
  webhooks: readonly EventOfFunction<AdmissionSettings>[],
  namespace: string,
  { type, configuration }: AdmissionSettings,
): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: kinds[type],
  metadata: { name: configuration, labels: partLabels },
  webhooks: webhooks.map(({ name, event }) => webhook(event, { name: webhookServiceName(name), namespace })),
})

const kinds = { validating: 'ValidatingWebhookConfiguration', mutating: 'MutatingWebhookConfiguration' } as const

const webhook = (settings: AdmissionSettings, service: { name: string; namespace: string }) => ({
  name: settings.webhook,
  clientConfig: { service: { ...service, path: `/webhooks/${settings.path}`, port: 443 } },
  rules: settings.rules,
  failurePolicy: settings.failurePolicy,
  matchPolicy: settings.matchPolicy ?? 'Equivalent',
  namespaceSelector: selectorOf(settings, service.namespace),
  ...(settings.objectSelector ? { objectSelector: settings.objectSelector } : {}),
  ...(settings.matchConditions ? { matchConditions: settings.matchConditions } : {}),
  sideEffects: 'None',
  timeoutSeconds: settings.timeoutSeconds,
  admissionReviewVersions: ['v1', 'v1beta1'],
  ...(settings.type === 'mutating' ? { reinvocationPolicy: settings.reinvocationPolicy ?? 'Never' } : {}),
})

/** Excludes our namespace, because our Pods must be able to start when no webhook answers. */
const selectorOf = ({ namespaces }: AdmissionSettings, ours: string) => ({
  matchExpressions: [
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [ours] },
    ...(namespaces ? [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }] : []),
  ],
})
