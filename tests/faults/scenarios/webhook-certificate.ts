// Webhook configurations that need trust: they appear, are applied again without it, and the Secret is lost.
import { secretName } from '../../../functions/webhook-certificate/desired/secret.ts'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'espalier-system'
const apiVersion = 'admissionregistration.k8s.io/v1'
const labels = { 'app.kubernetes.io/part-of': 'espalier', 'app.kubernetes.io/managed-by': 'Helm' }
const names = { validating: 'faulty-validation', mutating: 'faulty-defaulting', late: 'faulty-late' }

/** For a kind that nobody has, so that it stands in nobody's way. */
const webhooks = [
  {
    name: 'faulty.example.com',
    clientConfig: { service: { name: 'faulty', namespace, path: '/' } },
    rules: [
      { apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'] },
    ],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  },
]

const configuration = (kind: string, name: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, labels },
  webhooks,
})

const refTo = (kind: string, name: string): ObjectRef => ({ apiVersion, kind, namespace: '', name })
const secret: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName }

const bundleOf = ({ webhooks }: KubeObject): unknown => {
  const [webhook] = Array.isArray(webhooks) ? webhooks.filter(isMap) : []
  return isMap(webhook?.clientConfig) ? webhook.clientConfig.caBundle : undefined
}

/** Keys and certificates are random: what counts is whether they are there and whether the right one is trusted. */
const masked = (objects: readonly KubeObject[]): KubeObject[] => {
  const data = objects.find(({ kind }) => kind === 'Secret')?.data
  const authority = isMap(data) ? data['ca.crt'] : undefined
  return objects.map(object => ({
    ...object,
    ...(isMap(object.data) ? { data: filledKeys(object.data) } : {}),
    ...(object.webhooks ? { webhooks: trustOf(object, authority) } : {}),
  }))
}

const filledKeys = (data: JsonMap): string[] =>
  Object.keys(data)
    .filter(key => data[key] !== '')
    .sort()

type Trust = 'no trust' | 'trust in the Secret' | 'trust in the Secret and a former authority' | 'other trust'

const trustOf = (object: KubeObject, authority: unknown): Trust => {
  const [trusted, ofSecret] = [bundleOf(object), authority].map(text =>
    Buffer.from(`${text ?? ''}`, 'base64').toString(),
  )
  if (!trusted || !ofSecret) return trusted ? 'other trust' : 'no trust'
  if (trusted === ofSecret) return 'trust in the Secret'
  return trusted.startsWith(ofSecret) ? 'trust in the Secret and a former authority' : 'other trust'
}

const trustedIn =
  (wanted: readonly string[], trust: Trust = 'trust in the Secret'): Stage['faults'] =>
  objects => {
    const trusting = objects.filter(object => (object as JsonMap).webhooks === trust)
    const found = trusting.map(({ metadata }) => metadata.name).sort()
    const isWhole = objects.some(({ kind, data }) => kind === 'Secret' && `${data}` === 'ca.crt,ca.key,tls.crt,tls.key')
    return [
      ...(isWhole ? [] : ['the Secret is not complete']),
      ...(found.join() === [...wanted].sort().join() ? [] : [`trust in ${found}, wanted in ${wanted}`]),
    ]
  }

export const scenarios: readonly Scenario[] = [
  {
    title: 'configurations come and are applied again, the Secret goes',
    key: { namespace: '', name: namespace },
    crds: [],
    namespaces: [namespace],
    observes: [
      { apiVersion: 'v1', kind: 'Secret', namespace, fieldSelector: `metadata.name=${secretName}` },
      { apiVersion, kind: 'ValidatingWebhookConfiguration', labelSelector: 'app.kubernetes.io/part-of=espalier' },
      { apiVersion, kind: 'MutatingWebhookConfiguration', labelSelector: 'app.kubernetes.io/part-of=espalier' },
    ],
    masked,
    dependent: secret,
    goesOnWithinSeconds: 5,
    rivalry: { ref: refTo('ValidatingWebhookConfiguration', names.validating) },
    stages: [
      {
        title: 'two configurations need trust',
        change: async people => {
          await people.create(configuration('ValidatingWebhookConfiguration', names.validating))
          await people.create(configuration('MutatingWebhookConfiguration', names.mutating))
        },
        faults: trustedIn([names.validating, names.mutating]),
      },
      {
        title: 'one is applied again as it was, and another appears',
        change: async people => {
          await people.change(refTo('ValidatingWebhookConfiguration', names.validating), { webhooks })
          await people.create(configuration('MutatingWebhookConfiguration', names.late))
        },
        faults: trustedIn([names.validating, names.mutating, names.late]),
      },
      {
        title: 'the Secret is deleted',
        change: people => people.delete(secret),
        faults: trustedIn([names.validating, names.mutating, names.late], 'trust in the Secret and a former authority'),
      },
    ],
  },
]
