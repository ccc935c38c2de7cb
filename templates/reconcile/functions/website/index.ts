// website: keeps a ConfigMap for each Website.
import type { ReconcileFunction } from 'espalier'
import type { Website } from '../../kinds/website.ts'
import { decide, type World } from './decide.ts'

export const websiteFunction: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'website',
  kind: { apiVersion: 'example.org/v1alpha1', kind: 'Website' },
  gather: async object => ({ object: object as Website }),
  decide,
}
