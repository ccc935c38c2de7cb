// garden-admission: sets defaults of a Garden, converts older spellings of fields, and refuses invalid Gardens. It also refuses ConfigMaps
// and Secrets that would prevent the start of a Garden's API server.
import { gardenKind } from '../../shared/api/garden.ts'
import { gardenConfigurations } from '../../shared/core/apiserver/garden-contents.ts'
import type { AdmissionFunction } from '../../shared/runtime/definition.ts'
import { configurationReview, fill, kubeconfigReview, review } from './review.ts'

const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' } as const
const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const

export const gardenAdmission: AdmissionFunction = {
  does: 'review',
  name: 'garden-admission',
  kind: gardenKind,
  mutate: fill,
  review,
  webhooks: {
    ...Object.fromEntries(
      gardenConfigurations.map(({ webhook }) => [
        webhook,
        { kind: gardenKind, also: [configMapKind], review: configurationReview(webhook) },
      ]),
    ),
    'kubeconfig-secrets': { kind: secretKind, review: kubeconfigReview },
  },
}
