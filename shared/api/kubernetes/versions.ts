// Kubernetes versions for virtual gardens, with their feature gates, admission plugins and APIs. The JSON files are generated from the
// sources of Kubernetes.
import admissionPlugins from './admission-plugins.json' with { type: 'json' }
import apis from './apis.json' with { type: 'json' }
import featureGates from './feature-gates.json' with { type: 'json' }

export const kubernetesMinors: readonly string[] = ['1.32', '1.33', '1.34', '1.35', '1.36']

/** `prerelease` is '' for a release. */
export type Version = {
  readonly major: number
  readonly minor: number
  readonly patch: number
  readonly prerelease: string
}

/** Accepts `1.34.3`, `v1.34.3`, and `1.34` for `1.34.0`. undefined for other texts. */
export const parseVersion = (text: string): Version | undefined => {
  const [, major, minor, patch = '0', prerelease = ''] = form.exec(text) ?? []
  if (major === undefined) return undefined
  return { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease }
}

const form = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:-([\w.-]{0,100}))?(?:\+[\w.+-]{0,100})?$/

/** `1.34` for `1.34.3`; undefined for an unsupported version. */
export const supportedMinor = (text: string): string | undefined => {
  const version = parseVersion(text)
  const minor = version && `${version.major}.${version.minor}`
  return kubernetesMinors.find(known => known === minor)
}

/** The first and last minor version that has the name. Absent: unlimited. */
type Range = { readonly since?: string; readonly until?: string }

/** From `lockedSince` on, `lockedTo` is the only value. */
type FeatureGate = Range & { readonly lockedSince?: string; readonly lockedTo?: boolean }

const gates = new Map<string, FeatureGate>(Object.entries(featureGates))
const plugins = new Map<string, Range>(Object.entries(admissionPlugins))
const served = new Map<string, Range>(Object.entries(apis))

const isIn = ({ since, until }: Range, minor: string): boolean =>
  isUpTo(since ?? minor, minor) && isUpTo(minor, until ?? minor)

const isUpTo = (one: string, other: string): boolean => kubernetesMinors.indexOf(one) <= kubernetesMinors.indexOf(other)

export type Known = 'never' | 'in another version' | 'here'

const known = (range: Range | undefined, minor: string): Known =>
  range === undefined ? 'never' : isIn(range, minor) ? 'here' : 'in another version'

export const featureGateKnown = (name: string, minor: string): Known => known(gates.get(name), minor)

/** The gate's only value in this version; undefined when it can be chosen. */
export const featureGateLock = (name: string, minor: string): boolean | undefined => {
  const { lockedSince, lockedTo } = gates.get(name) ?? {}
  return lockedSince !== undefined && isUpTo(lockedSince, minor) ? lockedTo : undefined
}

export const admissionPluginKnown = (name: string, minor: string): Known => known(plugins.get(name), minor)

/** Names as in `--runtime-config`: `v1`, `apps/v1`, `apps/v1/deployments`. */
export const apiKnown = (name: string, minor: string): Known => known(served.get(name), minor)

export const isFrom = (first: string, minor: string | undefined): boolean =>
  minor !== undefined && kubernetesMinors.includes(minor) && isUpTo(first, minor)
