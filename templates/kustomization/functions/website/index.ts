// website: keeps the objects of the kustomization beside this file, whose files are templates over the spec of the Website.
import { component, kustomization } from 'espalier'

export const websiteFunction = component({
  name: 'website.example.org',
  kind: { group: 'example.org', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
  generator: kustomization(import.meta.dirname, 'deploy'),
  // Whoever may create a Website gets no objects of others in this way.
  options: { adoptionPolicy: 'Never' },
})
