// The images that an installation chooses for Istio. All must have the same registry and tag, since charts have one value for each.
import type { IstioImages } from '../../api/installation.ts'
import { withoutUser } from '../../core/text/without-user.ts'

/** The chosen images, by the name of their environment variable. */
type GivenImages = Readonly<Record<'pilot' | 'install-cni' | 'proxyv2' | 'ztunnel', string | undefined>>

const needed = ['pilot', 'install-cni', 'proxyv2'] as const

/** undefined when none is chosen. Throws when they do not go together. The variables' names end with `suffix`. */
export const istioImages = (given: GivenImages, suffix: '' | '-fips'): IstioImages | undefined => {
  const chosen = Object.entries(given).flatMap(([name, image]) => (image ? [{ name: `${name}${suffix}`, image }] : []))
  if (chosen.length === 0) return undefined
  const missing = needed.find(name => given[name] === undefined)
  if (missing !== undefined)
    throw new Error(`${missing}${suffix} is "": it must be set when ${chosen.map(({ name }) => name).join(', ')} is`)
  const [first, ...others] = chosen
  for (const other of others)
    if (first && placeText(other) !== placeText(first))
      throw new Error(
        `${other.name} is ${shown(other.image)}: its registry and tag must be those of ${first.name}, ${shown(first.image)}`,
      )
  const { pilot = '', 'install-cni': cni = '', proxyv2: proxy = '', ztunnel } = given
  return { pilot, cni, proxy, ...(ztunnel !== undefined && { ztunnel }) }
}

/** Registry and tag. Throws when there is no tag, or something that no kubelet pulls: a user, a password, other characters than images have. */
const placeText = ({ name, image }: { readonly name: string; readonly image: string }): string => {
  const { hub, tag } = /^(?<hub>[\w.:[\]-]+(\/[\w.-]+)*)\/[\w.-]+:(?<tag>[\w.-]+)(@[\w:]+)?$/.exec(image)?.groups ?? {}
  if (tag === undefined)
    throw new Error(`${name} is ${shown(image)}: expected registry/image:tag, with or without a digest`)
  return `${hub}:${tag}`
}

const shown = (image: string): string => JSON.stringify(withoutUser(image))
