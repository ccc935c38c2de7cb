// The kustomization.yaml of a folder of manifests/.

export type Kustomization = {
  /** Files of the folder, and other folders, relative to it. */
  resources: readonly string[]
  images?: readonly { name: string; newTag: string }[]
  /** Of a folder that people apply. kubectl would sort webhook configurations behind everything else, when it deletes too. */
  sortOptions?: { readonly order: 'fifo' }
}

export const kustomization = (content: Kustomization): object => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  ...content,
})
