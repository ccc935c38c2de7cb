// Finds the Secrets and ConfigMaps in namespace garden that a Garden refers to, by a table of field paths.
import type { GardenFields } from '../garden.ts'

/** A referenced object, with all fields that refer to it. */
export type Reference = { kind: GardenReferenceKind; name: string; fields: readonly string[] }

export type GardenReferenceKind = 'Secret' | 'ConfigMap'

/** `only`: a condition on the object that contains the field. */
type Row = { kind: GardenReferenceKind; field: string; only?: (owner: unknown) => boolean }

const kubeAPIServer = 'spec.virtualCluster.kubernetes.kubeAPIServer'
const gardener = 'spec.virtualCluster.gardener'
const dashboard = `${gardener}.gardenerDashboard`

const ofEitherApiServer = (server: string): readonly Row[] => [
  { kind: 'ConfigMap', field: `${server}.auditConfig.auditPolicy.configMapRef.name` },
  { kind: 'Secret', field: `${server}.auditWebhook.kubeconfigSecretName` },
  { kind: 'Secret', field: `${server}.admissionPlugins[].kubeconfigSecretName` },
]

/** Whether a resourceRef has this kind in the core group, which is the default. */
const means = (kind: GardenReferenceKind) => (owner: unknown) =>
  fieldOf(owner, 'kind') === kind && (fieldOf(owner, 'apiVersion') || 'v1') === 'v1'

const table: readonly Row[] = [
  ...ofEitherApiServer(kubeAPIServer),
  { kind: 'Secret', field: `${kubeAPIServer}.authentication.webhook.kubeconfigSecretName` },
  { kind: 'Secret', field: `${kubeAPIServer}.sni.secretName` },
  { kind: 'ConfigMap', field: `${kubeAPIServer}.structuredAuthentication.configMapName` },
  { kind: 'ConfigMap', field: `${kubeAPIServer}.structuredAuthorization.configMapName` },
  { kind: 'Secret', field: `${kubeAPIServer}.structuredAuthorization.kubeconfigs[].secretName` },
  ...ofEitherApiServer(`${gardener}.gardenerAPIServer`),
  { kind: 'Secret', field: 'spec.virtualCluster.etcd.main.backup.secretRef.name' },
  { kind: 'Secret', field: 'spec.dns.providers[].secretRef.name' },
  { kind: 'Secret', field: 'spec.resources[].resourceRef.name', only: means('Secret') },
  { kind: 'ConfigMap', field: 'spec.resources[].resourceRef.name', only: means('ConfigMap') },
  { kind: 'Secret', field: `${dashboard}.oidcConfig.secretRef.name` },
  { kind: 'Secret', field: `${dashboard}.oidcConfig.certificateAuthoritySecretRef.name` },
  { kind: 'Secret', field: `${dashboard}.gitHub.secretRef.name` },
  { kind: 'ConfigMap', field: `${dashboard}.frontendConfigMapRef.name` },
  { kind: 'ConfigMap', field: `${dashboard}.assetsConfigMapRef.name` },
  { kind: 'Secret', field: `${dashboard}.tlsSecretName` },
  { kind: 'Secret', field: `${gardener}.gardenerDiscoveryServer.tlsSecretName` },
]

type Step = { name: string; isList: boolean }

const stepOf = (text: string): Step => ({ name: text.replace('[]', ''), isList: text.endsWith('[]') })

/** Paths are split once, because references are computed many times in a call. */
const rows = table.map(row => ({ ...row, steps: row.field.split('.').map(stepOf) }))

/** The referenced objects without duplicates, even if they do not exist. Empty names are ignored. */
export const gardenReferences = (garden: GardenFields): Reference[] => {
  const found = rows.flatMap(row => referencesOf(row, garden))
  return [...Map.groupBy(found, ({ kind, name }) => `${kind} ${name}`).values()].flatMap(([first, ...others]) =>
    first ? { ...first, fields: [first, ...others].flatMap(({ fields }) => fields) } : [],
  )
}

export const isReferredTo = (object: Named, references: readonly Reference[]): boolean =>
  references.some(({ kind, name }) => kind === object.kind && name === object.metadata.name)

type Named = { kind: string; metadata: { name: string } }

const referencesOf = ({ kind, steps, only = () => true }: (typeof rows)[number], garden: GardenFields): Reference[] =>
  placesAt({ path: '', value: garden }, steps).flatMap(({ value, path, owner }) =>
    typeof value === 'string' && value !== '' && only(owner) ? { kind, name: value, fields: [path] } : [],
  )

type Place = { path: string; value: unknown; owner?: unknown }

/** All values at a path. `providers[]`, `name` finds one value per provider, and no value without providers. */
const placesAt = (place: Place, steps: readonly Step[]): Place[] => {
  const [step, ...others] = steps
  if (!step) return [place]
  if (place.value === undefined || place.value === null) return []
  return placesBelow(place, step).flatMap(below => placesAt(below, others))
}

const placesBelow = ({ path, value: owner }: Place, { name, isList }: Step): Place[] => {
  const value = fieldOf(owner, name)
  const here = path ? `${path}.${name}` : name
  if (!isList) return [{ path: here, value, owner }]
  return Array.isArray(value) ? value.map((item, i) => ({ path: `${here}[${i}]`, value: item, owner })) : []
}

const fieldOf = (owner: unknown, name: string): unknown => (owner as Record<string, unknown> | null | undefined)?.[name]
