// Host settings for istio, with the names of the Kyma Istio module.
import { defaultInstallation, type IstioImages, type IstioInstallation } from '../../api/installation.ts'
import { type Setting, type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { chartSource, oneOfShape, optional, textShape, upToADay } from '../../core/settings/shapes.ts'
import { withoutUser } from '../../core/text/text.ts'

const { istio } = defaultInstallation

const imageSetting = (env: string, program: string, flavour = '') =>
  ({
    sentence: `The image of ${program}${flavour}; those of the profile when none is set`,
    env,
    flag: `istio-${env}-image`,
    shape: optional(textShape('an image with a tag')),
  }) as const satisfies Setting

const fips = ' in installations that obey FIPS'

export const istioSettings = settingsTable({
  istioCharts: {
    sentence: 'Where the charts of Istio are; those that come with Espalier when empty',
    env: 'ISTIO_CHARTS',
    shape: optional(chartSource),
  },
  istioPilotImage: imageSetting('pilot', 'istiod'),
  istioCniImage: imageSetting('install-cni', 'the CNI plugin of Istio'),
  istioProxyImage: imageSetting('proxyv2', 'sidecars and gateways'),
  istioZtunnelImage: imageSetting('ztunnel', 'ztunnel'),
  istioPilotFipsImage: imageSetting('pilot-fips', 'istiod', fips),
  istioCniFipsImage: imageSetting('install-cni-fips', 'the CNI plugin of Istio', fips),
  istioProxyFipsImage: imageSetting('proxyv2-fips', 'sidecars and gateways', fips),
  istioZtunnelFipsImage: imageSetting('ztunnel-fips', 'ztunnel', fips),
  istioFips: {
    sentence: 'Whether this installation obeys FIPS, so that the images for it are used',
    env: 'KYMA_FIPS_MODE_ENABLED',
    shape: oneOfShape('true', 'false'),
    default: 'false',
  },
  istioPullSecret: {
    sentence: 'The Secret by which the mesh pulls its images',
    env: 'SKR_IMG_PULL_SECRET',
    shape: optional(textShape('the name of a Secret')),
  },
  istioReconciliationInterval: {
    sentence: 'When a Ready Istio is called again',
    env: 'ISTIO_RECONCILIATION_INTERVAL',
    shape: upToADay,
    default: `${istio.reconcileSeconds}s`,
  },
  istioInstallTimeout: {
    sentence: 'How long an installation of Istio may take before that is an error',
    env: 'ISTIO_INSTALL_TIMEOUT',
    shape: upToADay,
    default: `${istio.installSeconds}s`,
  },
  istioExperimental: {
    sentence: 'Whether experimental features of Istio are supported',
    env: 'ISTIO_EXPERIMENTAL',
    shape: oneOfShape('true', 'false'),
    default: String(istio.isExperimental) as 'false',
  },
  istioDeployment: {
    sentence: 'The Deployment in kyma-system that istio runs in, which gets a VerticalPodAutoscaler',
    env: 'ISTIO_DEPLOYMENT',
    shape: textShape('the name of a Deployment'),
    default: istio.deployment,
  },
})

type Settings = SettingsOf<typeof istioSettings>

/** Throws when the images do not fit together. */
export const istioInstallationOf = (settings: Settings): IstioInstallation => {
  const images = imagesOf(settings)
  return {
    reconcileSeconds: settings.istioReconciliationInterval,
    installSeconds: settings.istioInstallTimeout,
    isExperimental: settings.istioExperimental === 'true',
    deployment: settings.istioDeployment,
    ...(settings.istioCharts !== undefined && { charts: settings.istioCharts }),
    ...(settings.istioPullSecret !== undefined && { pullSecret: settings.istioPullSecret }),
    ...(images && { images }),
  }
}

/** With FIPS, only FIPS images count. */
const imagesOf = (settings: Settings): IstioImages | undefined => {
  const isFips = settings.istioFips === 'true'
  const flavour = isFips ? 'Fips' : ''
  const given = {
    pilot: settings[`istioPilot${flavour}Image`],
    'install-cni': settings[`istioCni${flavour}Image`],
    proxyv2: settings[`istioProxy${flavour}Image`],
    ztunnel: settings[`istioZtunnel${flavour}Image`],
  }
  return istioImages(given, isFips ? '-fips' : '')
}

// Images of an installation. All must have the same registry and tag, because charts have one value for each.

type GivenImages = Readonly<Record<'pilot' | 'install-cni' | 'proxyv2' | 'ztunnel', string | undefined>>

const needed = ['pilot', 'install-cni', 'proxyv2'] as const

/** undefined without images. Throws when they do not fit together. `suffix`: end of the variable names. */
const istioImages = (given: GivenImages, suffix: '' | '-fips'): IstioImages | undefined => {
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
