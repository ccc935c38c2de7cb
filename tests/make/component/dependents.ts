// Builders for what a component renders and for the question whether it is there: valid by default.

import type { Item } from '../../../shared/component/item.ts'
import { ownerOf } from '../../../shared/component/ownership.ts'
import { applyPriorities, deletePriorities, type EngineSettings } from '../../../shared/component/settings.ts'
import type { EngineInput } from '../../../shared/component/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** P in all tests of the engine. */
export const P = 'shop.example.io'

export const owner = ownerOf('11111111-2222-3333-4444-555555555555', { namespace: 'shop', name: 'cart' })

export const settings = (changes: Partial<EngineSettings> = {}): EngineSettings => ({
  reconcilerName: P,
  finalizer: P,
  adoptionPolicy: 'IfUnowned',
  updatePolicy: 'Replace',
  deletePolicy: 'Delete',
  reapplySeconds: 3600,
  createMissingNamespaces: true,
  additionalManagedTypes: [],
  reclaimedManagers: ['kubectl', 'helm'],
  hasCrdFinalizers: true,
  deletionBlockers: 'managed',
  whileBlocked: 'hold',
  skipsDeleteHooks: false,
  applyPriorities,
  deletePriorities,
  ...changes,
})

export const question = (changes: Partial<EngineInput> = {}): EngineInput => ({
  goal: 'apply',
  settings: settings(),
  owner,
  componentDigest: 'component-1',
  on: 'target',
  namespace: 'shop',
  manifests: [],
  items: [],
  foreignFinalizers: [],
  ...changes,
})

/** Annotations by their keys without P. */
export type Kept = Readonly<Record<string, string>>

/** A manifest as a generator renders it; `namespace` '' leaves it out. */
export const manifest = (apiVersion: string, kind: string, name: string, content: Content = {}): KubeObject => {
  const { kept = {}, labels, namespace = 'shop', ...rest } = content
  const annotations = Object.fromEntries(Object.entries(kept).map(([key, value]) => [`${P}/${key}`, value]))
  const metadata = {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
  return { apiVersion, kind, metadata, ...rest }
}

type Content = { kept?: Kept; labels?: Record<string, string>; namespace?: string; [field: string]: unknown }

export const configMap = (name: string, content: Content = {}): KubeObject =>
  manifest('v1', 'ConfigMap', name, { data: { key: 'value' }, ...content })

export const namespaceManifest = (name: string, content: Content = {}): KubeObject =>
  manifest('v1', 'Namespace', name, { namespace: '', ...content })

/** Ready as soon as somebody sets its condition Ready. */
export const gadget = (name: string, content: Content = {}): KubeObject =>
  manifest('example.io/v1', 'Gadget', name, {
    kept: { 'status-hint': 'has-ready-condition', ...content.kept },
    ...rest(content),
  })

const rest = ({ kept: _, ...content }: Content): Content => content

export const gadgetDefinition = (content: Content = {}): KubeObject =>
  manifest('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'gadgets.example.io', {
    namespace: '',
    spec: {
      group: 'example.io',
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
    ...content,
  })

export const item = (changes: Partial<Item> & Pick<Item, 'kind' | 'name'>): Item => ({
  group: '',
  version: 'v1',
  namespace: 'shop',
  adoptionPolicy: 'IfUnowned',
  reconcilePolicy: 'OnObjectChange',
  updatePolicy: 'Replace',
  deletePolicy: 'Delete',
  applyOrder: 0,
  deleteOrder: 0,
  managedTypes: [],
  digest: 'digest',
  fingerprint: 'fingerprint',
  phase: 'Ready',
  status: 'Current',
  lastAppliedAt: '2026-01-01T00:00:00Z',
  ...changes,
})

/** Served by what `sampleService` leads to. */
export const sample = (name: string, content: Content = {}): KubeObject =>
  manifest('metrics.io/v1', 'Sample', name, content)

export const sampleService = (content: Content = {}): KubeObject =>
  manifest('apiregistration.k8s.io/v1', 'APIService', 'v1.metrics.io', {
    namespace: '',
    spec: { group: 'metrics.io', version: 'v1' },
    ...content,
  })
