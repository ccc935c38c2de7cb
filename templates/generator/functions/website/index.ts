// website: keeps the objects of a Website, which desired.ts makes.
import { component } from 'espalier'
import type { WebsiteSpec } from '../../kinds/website.ts'
import { deployment } from './desired.ts'

export const websiteFunction = component({
  name: 'website.example.org',
  kind: { group: 'example.org', version: 'v1alpha1', kind: 'Website', plural: 'websites' },
  generator: (_context, namespace, name, spec) => [deployment({ namespace, name }, spec as WebsiteSpec)],
  // Whoever may create a Website gets no objects of others in this way.
  options: { adoptionPolicy: 'Never' },
})
