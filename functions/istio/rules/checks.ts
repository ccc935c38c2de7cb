// Ordered checks that decide whether an Istio is handled. The status shows the first fault.
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { shortened } from '../../../shared/core/text/text.ts'
import { descriptions } from '../reasons.ts'
import type { World } from '../world.ts'
import type { IstioFinding } from './findings.ts'
import { failure } from './findings.ts'

type IstioCheck = (world: World) => IstioFinding | undefined

const experimental: IstioCheck = ({ istio, settings }) =>
  istio.spec.experimental === undefined || settings.experimental === 'true'
    ? undefined
    : invalid('Error', descriptions.experimental)

const authorizerTwice: IstioCheck = ({ istio }) => {
  const names = new Set<string>()
  for (const { name } of istio.spec.config?.authorizers ?? []) {
    if (names.has(name)) return invalid('Warning', descriptions.authorizerTwice(shortened(100, name)))
    names.add(name)
  }
  return undefined
}

const brokenRegexp: IstioCheck = ({ istio }) => {
  let [characters, repeated] = [0, 0]
  for (const text of istio.spec.config?.proxyStatsMatcher?.inclusionRegexps ?? []) {
    characters += text.length
    repeated += text.length * repetitionsIn(text)
    const fault = characters > charactersMost ? tooLong : repeated > repeatedMost ? tooOften : regexpFault(text)
    if (fault !== undefined) return invalid('Error', descriptions.regexp(shortened(100, text), fault))
  }
  return undefined
}

/** The limit for all regular expressions together. Without this limit, a user who may create an Istio could keep this process busy. */
const charactersMost = 10_000
const tooLong = `all expressions together have more than ${charactersMost} characters`

/** Repetitions multiply the work: `\p{L}{1000}` takes 2 ms and 250 KB to compile, and 10,000 characters can contain 900 repetitions. */
const repeatedMost = 1_000_000
const tooOften = `the repetitions of all expressions together exceed ${repeatedMost} characters`

/** An upper bound of the repetitions in a text: the product of all counts, as in `(a{10}){20}`. RE2 refuses more than 1000. */
const repetitionsIn = (text: string): number => {
  const counts = [...text.matchAll(/(?<!\\x)\{(\d{1,4})(?:,(\d{0,4}))?\}/g)]
  return counts.reduce((product, [, least, most]) => Math.min(product * Math.max(Number(most || least), 1), 1000), 1)
}

const elsewhere: IstioCheck = ({ istio }) =>
  istio.metadata.namespace === istioNames.namespaces.control
    ? undefined
    : { state: 'Error', description: descriptions.elsewhere, reason: 'ReconcileFailed', answer: 'stalled' }

/** Without a list of Istios, the oldest Istio is unknown. */
const unlisted: IstioCheck = ({ istios }) =>
  'failed' in istios ? failure(descriptions.unlisted(istios.failed), { reason: 'ReconcileFailed' }) : undefined

const notOldest: IstioCheck = ({ istio, istios }) => {
  const first = 'read' in istios ? oldestIstio([...istios.read, istio]) : istio
  if (first.metadata.name === istio.metadata.name) return undefined
  const description = descriptions.notOldest(first.metadata.name)
  return { state: 'Warning', description, reason: 'OlderCRExists', answer: 'stalled' }
}

const validation = checks<[World], IstioFinding>(experimental, authorizerTwice, brokenRegexp)

/** An Istio in deletion is not validated, because an invalid spec must not prevent the removal of the mesh. */
const invalidSpec: IstioCheck = world => (isDeleting(world.istio) ? undefined : validation(world))

export const istioRefusal = checks<[World], IstioFinding>(invalidSpec, elsewhere, unlisted, notOldest)

/** The Istio has no mesh, because it is in another namespace or is not the oldest Istio. Its deletion does not remove the mesh. */
export const hasNoMesh = (world: World): boolean => (elsewhere(world) ?? notOldest(world)) !== undefined

const invalid = (state: 'Error' | 'Warning', description: string): IstioFinding => ({
  state,
  description,
  reason: 'ValidationFailed',
  answer: 'stalled',
})

const regexpFault = (text: string): string | undefined => {
  try {
    RE2JS.compile(text)
    return undefined
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return shortened(200, error.message)
    throw error
  }
}

/** Among Istios created in the same second, the Istio with our finalizer counts as the oldest, otherwise the first Istio by name. */
export const oldestIstio = (istios: readonly KubeObject[]): KubeObject =>
  istios.reduce((first, other) => (orderOf(other) < orderOf(first) ? other : first))

const orderOf = (istio: KubeObject): string => {
  const { creationTimestamp = '', name } = istio.metadata
  return [creationTimestamp, hasFinalizer(istio, istioNames.finalizer) ? 'a' : 'b', name].join(' ')
}
