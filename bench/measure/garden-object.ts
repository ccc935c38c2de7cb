// A Garden as the API server shows it to a webhook: the sample with every field, and what the API server and others add.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { KubeObject } from '../../shared/core/objects/object.ts'

const sample = join(import.meta.dirname, '..', '..', 'manifests', 'samples', 'garden-full.yaml')

export const garden = (): KubeObject => {
  const object = parse(readFileSync(sample, 'utf8')) as KubeObject
  const { name } = object.metadata
  const metadata = { name, uid: 'b8c7d3a0-6f3e-4f55-9a08-0a4c7f0f4b11', generation: 1, creationTimestamp: time }
  return { ...object, metadata: { ...metadata, managedFields: [managedFields(object)] } }
}

const time = '2026-01-01T00:00:00Z'

const managedFields = ({ apiVersion, spec }: KubeObject) => ({
  manager: 'kubectl',
  operation: 'Apply',
  apiVersion,
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': fieldsOf(spec) },
})

const fieldsOf = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([field, inner]) => [`f:${field}`, fieldsOf(inner)]))
    : {}

/** The text of a review of this object's creation; it has a uid of its own. */
export const creationReview = (object: KubeObject): ((uid: string) => string) => reviewText(object, null)

/** The same of a change of what is stored. */
export const updateReview = (object: KubeObject, oldObject: KubeObject): ((uid: string) => string) =>
  reviewText(object, oldObject)

const reviewText = (object: KubeObject, oldObject: KubeObject | null): ((uid: string) => string) => {
  const [group = '', version = ''] = object.apiVersion.split('/')
  const request = {
    uid: placeholder,
    kind: { group, version, kind: object.kind },
    resource: { group, version, resource: 'gardens' },
    name: object.metadata.name,
    operation: oldObject ? 'UPDATE' : 'CREATE',
    dryRun: false,
    object,
    oldObject,
    userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  }
  const [before, after] = JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request }).split(
    placeholder,
  )
  return uid => before + uid + after
}

const placeholder = '$uid$'
