// website: refuses a Website that cannot be.
import type { AdmissionFunction, AdmissionRequest, AdmissionVerdict } from 'espalier'
import type { Website } from '../../kinds/website.ts'

export const websiteFunction: AdmissionFunction = {
  does: 'review',
  name: 'website',
  kind: { apiVersion: 'example.org/v1alpha1', kind: 'Website' },
  review: request => review(request),
}

export const review = ({ object }: Pick<AdmissionRequest, 'object'>): AdmissionVerdict => {
  const { greeting } = (object as Website).spec
  if (greeting.trim() !== '') return { allowed: true }
  return { allowed: false, code: 422, reason: 'Invalid', message: 'spec.greeting is blank: expected some words' }
}
