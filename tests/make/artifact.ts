// Artifacts as tools push them into registries: packed folders as a layer, a config, a manifest that names both.
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { type Header, pack } from 'tar-stream'

export type Artifact = { readonly manifest: Document; readonly blobs: readonly Buffer[] }

/** A manifest or an index. */
export type Document = { readonly mediaType: string; readonly body: Buffer }

export const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  chart: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  chartConfig: 'application/vnd.cncf.helm.config.v1+json',
  files: 'application/vnd.cncf.flux.content.v1.tar+gzip',
  filesConfig: 'application/vnd.cncf.flux.config.v1+json',
} as const

export const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`

/** An entry that is no file says what it is; content is what a file holds. */
export type Entry = Partial<Header> & { name: string; content?: string | Buffer }

export const tar = async (entries: readonly Entry[]): Promise<Buffer> => {
  const packing = pack()
  const packed = buffer(packing)
  for (const { content = '', ...header } of entries) packing.entry(header, content)
  packing.finalize()
  return packed
}

export const tgz = async (entries: readonly Entry[]): Promise<Buffer> => gzipSync(await tar(entries))

/** Files by path, below a folder if one is named. */
export const packed = (files: Readonly<Record<string, string>>, folder = ''): Promise<Buffer> =>
  tgz(Object.entries(files).map(([path, content]) => ({ name: `${folder}${path}`, content })))

/** What `helm push` makes of a chart. */
export const chartArtifact = async (files: Readonly<Record<string, string>>, version = '1.2.3'): Promise<Artifact> =>
  artifactOf(await packed(files, 'chart/'), { layer: mediaTypes.chart, config: mediaTypes.chartConfig, version })

/** What `flux push artifact` makes of a folder. */
export const filesArtifact = async (files: Readonly<Record<string, string>>): Promise<Artifact> =>
  artifactOf(await packed(files), { layer: mediaTypes.files, config: mediaTypes.filesConfig })

type Naming = { layer: string; config: string; version?: string }

export const artifactOf = (layer: Buffer, { layer: mediaType, config, version }: Naming): Artifact => {
  const configBlob = Buffer.from('{}')
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptor(config, configBlob),
    layers: [descriptor(mediaType, layer)],
    ...(version && { annotations: { 'org.opencontainers.image.version': version } }),
  }
  return { manifest: documentOf(mediaTypes.manifest, manifest), blobs: [configBlob, layer] }
}

export const indexOf = (...manifests: readonly { digest: string; size: number; platform?: object }[]): Document => {
  const entries = manifests.map(one => ({ mediaType: mediaTypes.manifest, ...one }))
  return documentOf(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests: entries })
}

export const documentOf = (mediaType: string, content: object): Document => ({
  mediaType,
  body: Buffer.from(JSON.stringify(content)),
})

const descriptor = (mediaType: string, content: Buffer) => ({
  mediaType,
  digest: digestOf(content),
  size: content.length,
})
