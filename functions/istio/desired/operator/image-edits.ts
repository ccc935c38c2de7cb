// Images that whoever runs Espalier chose, and the Secret to pull them by.
import type { IstioImages } from '../../../../shared/api/installation.ts'
import { tagOf } from '../../rules/version.ts'
import { type Edit, setAt } from './edit.ts'

/** The images as they were given; hub and tag are those of the pilot. Without images those of the profile stay. */
export const imageEdits = (images: IstioImages | undefined): readonly Edit[] => {
  if (images === undefined) return []
  return [
    setAt('hub', hubOf(images.pilot)),
    setAt('tag', tagOf(images.pilot)),
    setAt('values.pilot.image', images.pilot),
    setAt('values.cni.image', images.cni),
    ...['proxy', 'proxy_init'].map(of => setAt(`values.global.${of}.image`, images.proxy)),
    ...(images.ztunnel === undefined ? [] : [setAt('values.ztunnel.image', images.ztunnel)]),
  ]
}

/** `registry:5000/istio` of `registry:5000/istio/pilot:1.30.2@sha256:…`. */
const hubOf = (image: string): string => image.replace(/@.*$/, '').split('/').slice(0, -1).join('/')

/** Each name stands once in the list. */
export const pullSecretEdits = (name: string | undefined): readonly Edit[] => {
  if (name === undefined) return []
  const becomes = (before: unknown) => [...new Set([...(Array.isArray(before) ? before : []), name])]
  return [{ at: 'values.global.imagePullSecrets', becomes }]
}
