// Checks the fields that every AdmissionReview must have.
import { checks } from '../decisions/checks.ts'
import { isMap, isText, type JsonMap, mapOrEmpty } from '../json/json.ts'

const versions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']

export const operations: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']

export const reviewFault = checks(
  (review: JsonMap) => review.kind !== 'AdmissionReview' && 'expected an AdmissionReview',
  ({ apiVersion }) => !versions.some(version => version === apiVersion) && 'expected admission.k8s.io/v1 or v1beta1',
  ({ request }) => !isMap(request) && 'the AdmissionReview has no request',
  ({ request }) => !isText(mapOrEmpty(request).uid) && 'the AdmissionReview has no request.uid',
)
