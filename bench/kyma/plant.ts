// A fleet as its installation leaves it, written directly: the objects of a Kyma that the product installed, under other names. On two cores,
// which API servers share, the product installs 2,500 Kymas in an hour or more, and this takes minutes. Host and relay must find nothing to
// do: the report says how many writes their first calls made.
import { parseAllDocuments } from 'yaml'
import { engineName, moduleObjects } from '../../functions/manifest/desired/module-objects.ts'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { objectDigest } from '../../shared/component/declared/dependent.ts'
import { digestKey, ownerKey, ownerOf } from '../../shared/component/ownership.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { rootOf } from '../../shared/kube/discovery.ts'
import type { Manifest } from '../../shared/kyma/kinds.ts'
import { manifestName } from '../../shared/kyma/manifests.ts'
import type { BareApi } from '../measure/bare-api.ts'
import { inParallel, secondsOf } from '../measure/load.ts'
import { progress } from '../measure/report.ts'
import { type Fleet, modulesInFleet } from './fleet.ts'
import { kymaOf, layerOf, runtimeOf } from './objects.ts'
import { collectionOf, namespace, type Stage } from './stage.ts'

/** What the installation of one Kyma left in both clusters. */
type Model = {
  readonly name: string
  readonly kyma: KubeObject
  readonly manifests: readonly KubeObject[]
  readonly namespace: KubeObject
  readonly copy: KubeObject
  readonly catalogue: readonly KubeObject[]
  readonly clusterUid: string
}

const callers = 16

/** Answers how long it took. `model`: the number of a Kyma with all modules that the product installed. */
export const plant = (stage: Stage, fleet: Fleet, model: number): Promise<number> =>
  secondsOf(async () => {
    const original = await modelOf(stage, runtimeOf(model))
    await inParallel(fleet.kymas, callers, async n => {
      await plantOne(stage, original, n)
      if ((n + 1) % 250 === 0) progress(`${n + 1} of ${fleet.kymas} Kymas are planted`)
    })
  })

const modelOf = async ({ plane: { api }, runtimes }: Stage, name: string): Promise<Model> => {
  const catalogue = ['moduletemplates', 'modulereleasemetas'].map(plural =>
    listed(runtimes, collectionOf(plural, name)),
  )
  const manifests = await listed(api, `${collectionOf('manifests')}`)
  return {
    name,
    kyma: await read(api, `${collectionOf('kymas')}/${name}`),
    manifests: manifests.filter(({ metadata }) => metadata.name.startsWith(`${name}-`)),
    namespace: await read(runtimes, `/api/v1/namespaces/${name}`),
    copy: await read(runtimes, `${collectionOf('kymas', name)}/default`),
    catalogue: (await Promise.all(catalogue)).flat(),
    clusterUid: String((await read(api, '/api/v1/namespaces/kube-system')).metadata.uid),
  }
}

const read = (api: BareApi, path: string): Promise<KubeObject> =>
  api.call('GET', path) as Promise<unknown> as Promise<KubeObject>

const listed = async (api: BareApi, path: string): Promise<KubeObject[]> => {
  const { items, kind, apiVersion } = (await api.call('GET', path)) as unknown as KubeObject & { items: KubeObject[] }
  return items.map(item => ({ ...item, apiVersion, kind: kind.replace(/List$/, '') }))
}

const plantOne = async (stage: Stage, model: Model, n: number): Promise<void> => {
  const { api } = stage.plane
  const count = modulesInFleet(n)
  const [{ spec }, access] = kymaOf(n, count, stage.reach)
  const name = runtimeOf(n)
  const chosen = new Set((spec as { modules: { name: string }[] }).modules.map(one => one.name))
  const ofModules = (object: KubeObject): KubeObject => {
    const inSpec = fields(object, 'spec')
    const inStatus = fields(object, 'status')
    const kept = (modules: unknown) => (modules as { name: string }[]).filter(one => chosen.has(one.name))
    return {
      ...object,
      spec: { ...inSpec, modules: kept(inSpec.modules) },
      status: { ...inStatus, modules: kept(inStatus.modules) },
    }
  }
  const manifests = model.manifests.filter(manifest => chosen.has(moduleOf(manifest)))
  const renamed = renaming(model, name)
  await api.call('POST', `/api/v1/namespaces/${namespace}/secrets`, { body: access })
  const kyma = await put(api, collectionOf('kymas'), renamed(ofModules(model.kyma)))
  await put(stage.runtimes, '/api/v1/namespaces', renamed(model.namespace))
  for (const entry of model.catalogue) await put(stage.runtimes, collectionOf(pluralOf(entry), name), renamed(entry))
  await put(stage.runtimes, collectionOf('kymas', name), renamed(ofModules(model.copy)))
  for (const manifest of manifests) {
    const [owner] = manifest.metadata.ownerReferences ?? []
    const ownerReferences = owner && [{ ...owner, name, uid: kyma.metadata.uid ?? '' }]
    const own = renamed(manifest)
    await put(api, collectionOf('manifests'), { ...own, metadata: { ...own.metadata, ownerReferences } })
    for (const object of objectsOf(own, model)) await put(stage.runtimes, collectionOfObject(object), object)
  }
}

/** The object under another Kyma's name, as it would be created. */
const renaming =
  (model: Model, name: string) =>
  (object: KubeObject): KubeObject => {
    const text = model.manifests.reduce(
      (text, manifest) => text.replaceAll(manifest.metadata.name, nameOf(manifest, name)),
      JSON.stringify(object),
    )
    return JSON.parse(text.replaceAll(model.name, name)) as KubeObject
  }

const moduleOf = ({ metadata }: KubeObject): string => metadata.labels?.[kymaNames.labels.moduleName] ?? ''

const nameOf = (manifest: KubeObject, kyma: string): string =>
  manifestName({
    kyma,
    component: manifest.metadata.annotations?.[kymaNames.annotations.ocmComponentName] ?? '',
    module: moduleOf(manifest),
  })

/** As the function manifest creates them. */
const objectsOf = (manifest: KubeObject, { clusterUid }: Model): KubeObject[] => {
  const layer = parseAllDocuments(layerOf(moduleOf(manifest))).map(document => document.toJS() as KubeObject)
  const { hash, id } = ownerOf(clusterUid, { namespace, name: manifest.metadata.name })
  const home = manifest.metadata.labels?.[kymaNames.labels.kymaName] ?? ''
  return moduleObjects(manifest as unknown as Manifest, { layer }).map(object => {
    const declared = { ...object, metadata: { ...object.metadata, namespace: home } }
    const { labels, annotations } = declared.metadata
    return {
      ...declared,
      metadata: {
        ...declared.metadata,
        managedFields: [{ manager: kymaNames.fieldManagers.moduleObjects }],
        labels: { ...labels, [ownerKey(engineName)]: hash },
        annotations: {
          ...annotations,
          [ownerKey(engineName)]: id,
          [digestKey(engineName)]: objectDigest(declared),
        },
      },
    }
  })
}

const pluralOf = ({ kind }: KubeObject): string => `${kind.toLowerCase()}s`

const collectionOfObject = (object: KubeObject): string => {
  const { apiVersion, metadata } = object
  return `${rootOf(apiVersion)}/namespaces/${metadata.namespace}/${pluralOf(object)}`
}

/** Creates the object with its status, in the name of its manager. */
const put = async (api: BareApi, collection: string, object: KubeObject): Promise<KubeObject> => {
  const { resourceVersion: _, uid: __, managedFields = [], creationTimestamp: ___, ...metadata } = object.metadata
  const [manager] = (managedFields as { manager?: string; subresource?: string }[]).filter(one => !one.subresource)
  const query = manager?.manager ? `?fieldManager=${encodeURIComponent(manager.manager)}` : ''
  const body = { ...object, metadata }
  const made = await api.call('POST', `${collection}${query}`, { body })
  if (object.status === undefined || object.kind === 'Namespace') return made as unknown as KubeObject
  const path = `${collection}/${metadata.name}/status`
  await api.call('PATCH', path, { body: { status: object.status }, contentType: 'application/merge-patch+json' })
  return made as unknown as KubeObject
}

const fields = (object: KubeObject, name: 'spec' | 'status') => object[name] as Record<string, unknown>
