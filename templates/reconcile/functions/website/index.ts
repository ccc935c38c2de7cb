// website: keeps a ConfigMap for each Website.
import { type ReconcileFunction, refOf } from 'espalier'
import type { Website } from '../../kinds/website.ts'
import { decide, report, type World } from './decide.ts'

export const websiteFunction: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'website',
  kind: { apiVersion: 'example.org/v1alpha1', kind: 'Website' },
  gather: async (object, { reads }) => ({
    object: object as Website,
    found: await reads.get({ ...refOf(object), apiVersion: 'v1', kind: 'ConfigMap' }),
  }),
  decide,
  report,
}
