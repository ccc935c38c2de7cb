// What keeps an Istio from being worked on at all, as ordered checks: the first fault is shown.
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { checks } from '../../../shared/core/checks.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../../shared/core/object.ts'
import { shortened } from '../../../shared/core/text.ts'
import { descriptions } from '../reasons.ts'
import type { World } from '../world.ts'
import type { IstioFinding } from './findings.ts'

type IstioCheck = (world: World) => IstioFinding | undefined

const experimental: IstioCheck = ({ istio, settings }) =>
  istio.spec.experimental === undefined || settings.isExperimental
    ? undefined
    : invalid('Error', descriptions.experimental)

const authorizerTwice: IstioCheck = ({ istio }) => {
  const names = new Set<string>()
  for (const { name } of istio.spec.config?.authorizers ?? []) {
    if (names.has(name)) return invalid('Warning', descriptions.authorizerTwice(quotable(name)))
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
    if (fault !== undefined) return invalid('Error', descriptions.regexp(quotable(text), fault))
  }
  return undefined
}

/** Of all regular expressions together: whoever may make an Istio anywhere would keep this process busy with longer ones. */
const charactersMost = 10_000
const tooLong = `all together have more than ${charactersMost} characters`

/** `a{1,1000}` is compiled like a thousand characters: `\p{L}{1000}` takes 2 ms and 250 KB, and ten thousand characters hold 900 of it. */
const repeatedMost = 1_000_000
const tooOften = `all together repeat more than ${repeatedMost} characters`

/** At most: those that do not stand in each other make less. RE2 takes none that come to more than a thousand. */
const repetitionsIn = (text: string): number => {
  const counts = [...text.matchAll(/(?<!\\x)\{(\d{1,4})(?:,(\d{0,4}))?\}/g)]
  return counts.reduce((product, [, least, most]) => Math.min(product * Math.max(Number(most || least), 1), 1000), 1)
}

/** A status is to have room for it. */
const quotable = (text: string, most = 100): string => shortened(most, text)

const elsewhere: IstioCheck = ({ istio }) =>
  istio.metadata.namespace === istioNames.namespaces.control
    ? undefined
    : { state: 'Warning', description: descriptions.elsewhere, reason: 'ReconcileFailed', answer: 'stalled' }

/** Whether it counts cannot be told. */
const unlisted: IstioCheck = ({ istios }) =>
  'failed' in istios
    ? {
        state: 'Error',
        description: descriptions.unlisted(istios.failed),
        reason: 'ReconcileFailed',
        answer: 'backoff',
      }
    : undefined

const notOldest: IstioCheck = ({ istio, istios }) => {
  const first = 'read' in istios ? oldestIstio([...istios.read, istio]) : istio
  if (first.metadata.name === istio.metadata.name) return undefined
  const description = descriptions.notOldest(first.metadata.name)
  return { state: 'Warning', description, reason: 'OlderCRExists', answer: 'stalled' }
}

const validation = checks<[World], IstioFinding>(experimental, authorizerTwice, brokenRegexp)

/** What is wrong with the spec keeps nothing from being taken down. */
const invalidSpec: IstioCheck = world => (isDeleting(world.istio) ? undefined : validation(world))

/** Why nothing is done for it; undefined: it is well. */
export const istioRefusal = checks<[World], IstioFinding>(invalidSpec, elsewhere, unlisted, notOldest)

/** It does not stand for the mesh, so that its end is none of the mesh's. */
export const standsForNothing = (world: World): boolean => (elsewhere(world) ?? notOldest(world)) !== undefined

const invalid = (state: 'Error' | 'Warning', description: string): IstioFinding => ({
  ...{ state, description, reason: 'ValidationFailed', answer: 'stalled' },
})

const regexpFault = (text: string): string | undefined => {
  try {
    RE2JS.compile(text)
    return undefined
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return quotable(error.message, 200)
    throw error
  }
}

/** Of those of the same second the one that we work for, else the one whose name comes first. */
export const oldestIstio = (istios: readonly KubeObject[]): KubeObject =>
  istios.reduce((first, other) => (comesBefore(other, first) ? other : first))

const comesBefore = (one: KubeObject, other: KubeObject): boolean => {
  const [mine, theirs] = [orderOf(one), orderOf(other)]
  const at = mine.findIndex((value, index) => value !== theirs[index])
  return at >= 0 && (mine[at] ?? '') < (theirs[at] ?? '')
}

const orderOf = (istio: KubeObject): readonly string[] => [
  istio.metadata.creationTimestamp ?? '',
  hasFinalizer(istio, istioNames.finalizer) ? 'a' : 'b',
  istio.metadata.name,
]
