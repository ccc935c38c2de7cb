// Settings of istio, with the names of the Kyma Istio module.
import type { IstioProfiles } from '../../shared/api/istio/operator.ts'
import { type FunctionSetting, type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { chartSource, oneOfShape, optional, textShape, upToADay } from '../../shared/core/settings/shapes.ts'
import { withoutUser } from '../../shared/core/text/text.ts'

const imageSetting = (env: string, program: string, flavour = '') =>
  ({
    sentence: `Image of ${program}${flavour}; if none of the images is set, the profile decides`,
    env,
    flag: `istio-${env}-image`,
    shape: optional(textShape('an image with a tag')),
  }) as const satisfies FunctionSetting

const fips = ' in FIPS installations'

export const istioSettings = settingsTable({
  charts: {
    sentence: 'Source of the charts of Istio; empty: the charts that come with Espalier',
    env: 'ISTIO_CHARTS',
    shape: optional(chartSource),
  },
  pilotImage: imageSetting('pilot', 'istiod'),
  cniImage: imageSetting('install-cni', 'the CNI plugin of Istio'),
  proxyImage: imageSetting('proxyv2', 'sidecars and gateways'),
  ztunnelImage: imageSetting('ztunnel', 'ztunnel'),
  pilotFipsImage: imageSetting('pilot-fips', 'istiod', fips),
  cniFipsImage: imageSetting('install-cni-fips', 'the CNI plugin of Istio', fips),
  proxyFipsImage: imageSetting('proxyv2-fips', 'sidecars and gateways', fips),
  ztunnelFipsImage: imageSetting('ztunnel-fips', 'ztunnel', fips),
  fips: {
    sentence: 'Whether to use the FIPS images',
    env: 'KYMA_FIPS_MODE_ENABLED',
    shape: oneOfShape('true', 'false'),
    default: 'false',
  },
  pullSecret: {
    sentence: 'Secret with which the mesh pulls its images',
    env: 'SKR_IMG_PULL_SECRET',
    shape: optional(textShape('the name of a Secret')),
  },
  reconcileSeconds: {
    sentence: 'Time until a Ready Istio is reconciled again',
    env: 'ISTIO_RECONCILIATION_INTERVAL',
    shape: upToADay,
    default: '36000s',
  },
  installSeconds: {
    sentence: 'Time after which an unfinished installation of Istio is an error',
    env: 'ISTIO_INSTALL_TIMEOUT',
    shape: upToADay,
    default: '360s',
  },
  experimental: {
    sentence: 'Whether to support experimental features of Istio',
    env: 'ISTIO_EXPERIMENTAL',
    shape: oneOfShape('true', 'false'),
    default: 'false',
  },
  deployment: {
    sentence: 'Deployment in kyma-system that runs the function istio, and that gets a VerticalPodAutoscaler',
    env: 'ISTIO_DEPLOYMENT',
    shape: textShape('the name of a Deployment'),
    default: 'istio-controller-manager',
  },
})

type Declared = SettingsOf<typeof istioSettings>

export type IstioSettings = Declared & IstioFiles & { readonly images?: IstioImages }

export type IstioFiles = { readonly profiles: IstioProfiles; readonly fallbackCharts: string }

/** Image references with a tag. The tag of `pilot` is the installed version. */
export type IstioImages = {
  readonly pilot: string
  readonly cni: string
  readonly proxy: string
  readonly ztunnel?: string
}

/** With FIPS, only FIPS images count. undefined: the images of the profile. Throws when the images do not fit together. */
export const istioImages = (settings: Declared): IstioImages | undefined => {
  const isFips = settings.fips === 'true'
  const flavour = isFips ? 'Fips' : ''
  const given = {
    pilot: settings[`pilot${flavour}Image`],
    'install-cni': settings[`cni${flavour}Image`],
    proxyv2: settings[`proxy${flavour}Image`],
    ztunnel: settings[`ztunnel${flavour}Image`],
  }
  return fittingImages(given, isFips ? '-fips' : '')
}

// All images must have the same registry and tag, because charts have one value for each.

type GivenImages = Readonly<Record<'pilot' | 'install-cni' | 'proxyv2' | 'ztunnel', string | undefined>>

const needed = ['pilot', 'install-cni', 'proxyv2'] as const

/** undefined without images. Throws when they do not fit together. `suffix`: end of the variable names. */
const fittingImages = (given: GivenImages, suffix: '' | '-fips'): IstioImages | undefined => {
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

/** Registry and tag. Throws without a tag, or for text that kubelet does not accept, such as a password. */
const placeText = ({ name, image }: { readonly name: string; readonly image: string }): string => {
  const { hub, tag } = /^(?<hub>[\w.:[\]-]+(\/[\w.-]+)*)\/[\w.-]+:(?<tag>[\w.-]+)(@[\w:]+)?$/.exec(image)?.groups ?? {}
  if (tag === undefined)
    throw new Error(`${name} is ${shown(image)}: expected registry/image:tag, with or without a digest`)
  return `${hub}:${tag}`
}

const shown = (image: string): string => JSON.stringify(withoutUser(image))
