// website: keeps the objects of the Helm chart beside this file; the values are the spec of the Website.
import { component, helmChart } from 'espalier'

export const websiteFunction = component({
  name: 'website.example.org',
  kind: { group: 'example.org', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
  generator: helmChart(import.meta.dirname, 'chart'),
  // Whoever may create a Website gets no objects of others in this way.
  options: { adoptionPolicy: 'Never' },
})
