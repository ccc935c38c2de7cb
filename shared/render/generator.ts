// The types between the engine and a renderer (Helm, Kustomize, a plain list). Rendering is pure: if a template looks up an object that was not
// read yet, the renderer returns the lookup. The caller reads the object and renders again.
import { rethrown } from '../core/decisions/reading.ts'
import type { JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'

/** Contents by path relative to the artifact's root. Paths have no leading slash and no `..`. */
export type Files = ReadonlyMap<string, Uint8Array>

/** The input of a rendering besides its files and parameters. */
export type RenderContext = {
  /** Namespace of the release and of its namespaced objects. */
  readonly namespace: string
  readonly name: string
  /** Prefix of annotation keys, for example `component.core.espalier.dev`. */
  readonly reconcilerName: string
  readonly component: KubeObject
  readonly componentDigest: string
  readonly revision: number
  /** Start of this revision. `now` in templates returns it, so that all renderings of a revision are equal. */
  readonly now: Date
  readonly cluster: TargetCluster
  /** Pseudo-random bytes. The nth call in a template gets the same bytes in every rendering of a revision. */
  readonly draw: (purpose: RandomPurpose, bytes: number) => Uint8Array
  readonly found: Findings
  readonly at?: At
}

/** Called with a file before work on this file begins. If the work never ends, the caller can report the file. */
export type At = (file: string) => void

export type RandomPurpose = { readonly template: string; readonly call: number }

export type TargetCluster = {
  /** For example `v1.36.3`. */
  readonly version: string
  /** For example `v1`, `apps/v1`, `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[]
}

/** `name` is '' for a list. */
export type Lookup = {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly labelSelector?: string
  /** `kubeconfig` is a text that the template passed. */
  readonly in: 'target' | 'local' | { readonly kubeconfig: string }
}

/** Results by `lookupKey`: an object, the objects of a list, or undefined if the object does not exist. */
export type Findings = ReadonlyMap<string, KubeObject | readonly KubeObject[] | undefined>

/** All objects, or the lookups that the next rendering needs. */
export type Rendering = { readonly objects: readonly KubeObject[] } | { readonly needs: readonly Lookup[] }

/** Pure; `parameters` is frozen. Throws RenderError. */
export type Render = (context: RenderContext, parameters: JsonMap) => Rendering

/**
 * The key of a lookup in the `found` of a rendering.
 *
 *   const found = new Map([[lookupKey({ apiVersion: 'v1', kind: 'Secret', namespace: 'web', name: 'access', in: 'target' }), secret]])
 */
export const lookupKey = (lookup: Lookup): string =>
  JSON.stringify([lookup.apiVersion, lookup.kind, lookup.namespace, lookup.name, lookup.labelSelector ?? '', lookup.in])

/**
 * A fault in a template, chart, kustomization or their parameters. Rendering the same input again fails again.
 *
 *   const isChartAtFault = (error: unknown): boolean => error instanceof RenderError
 */
export class RenderError extends Error {
  override readonly name = 'RenderError'
  /** Place and kind of the fault, without values. The message can quote values, which may be secret; the blame can always be shown. */
  readonly blame: Blame
  /** The message quotes only files of the artifact, so the message can be shown too. */
  readonly quotesNoValues: boolean

  constructor(message: string, { cause, blame = unknown, quotesNoValues = false }: About = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.blame = blame
    this.quotesNoValues = quotesNoValues
  }
}

const unknown: Blame = { kind: 'unrenderable' }

type About = ErrorOptions & { readonly blame?: Blame; readonly quotesNoValues?: boolean }

export type Blame = {
  readonly kind: FaultKind
  readonly rendered?: 'chart' | 'kustomization'
  readonly file?: string
  readonly line?: number
  readonly function?: string
  /** Violated rules of values.schema.json, each with its chart. */
  readonly rules?: readonly string[]
}

const faultKinds = {
  unrenderable: 'cannot be rendered',
  syntax: 'is not a valid template',
  execution: 'cannot be executed',
  author: 'stops the rendering',
  limit: 'exceeds a limit of the renderer',
  yaml: 'results in invalid YAML',
  object: 'results in a document that is not a Kubernetes object',
  values: 'is not a map of values',
  schema: 'does not allow these values',
  hook: 'sets a Helm annotation to an unknown value',
  combination: 'sets an annotation that cannot be combined with a Helm hook',
  resource: 'does not contain valid objects',
  settings: 'is not a valid kustomization',
} as const

type FaultKind = keyof typeof faultKinds

/** `the chart cannot be rendered: shop/templates/a.yaml, line 3: stops the rendering (function required)`. */
export const blameText = (blame: Blame): string => {
  const subject = blame.rendered === undefined ? undefined : `the ${blame.rendered} ${faultKinds.unrenderable}`
  const isAllKnown = blame.kind === 'unrenderable' && blame.file === undefined
  return [subject, subject && isAllKnown ? undefined : faultText(blame)].filter(part => part !== undefined).join(': ')
}

const faultText = ({ kind, file, line, function: called, rules = [] }: Blame): string => {
  const place = [file, line === undefined ? undefined : `line ${line}`].filter(part => part !== undefined).join(', ')
  const why = called === undefined ? '' : ` (function ${called})`
  const broken = rules.length > 0 ? `: ${rules.join(', ')}` : ''
  return `${place === '' ? '' : `${place}: `}${faultKinds[kind]}${why}${broken}`
}

/** Adds the blame to an error of `run`. Fields that the error's own blame already has stay unchanged. */
export const blaming = <Result>({ kind, rendered, ...place }: Blame, run: () => Result): Result =>
  rethrown(RenderError, run, ({ message, blame, quotesNoValues }) => {
    const at = blame.file === undefined ? place : {}
    const known = blame.kind === 'unrenderable' ? kind : blame.kind
    const subject = rendered && { rendered }
    return new RenderError(message, { blame: { ...subject, ...at, ...blame, kind: known }, quotesNoValues })
  })

/** For work on the artifact without values. Errors of this work quote no values, so users can see the messages. */
export const ofArtifact = <Result>(run: () => Result): Result =>
  rethrown(RenderError, run, ({ message, blame }) => new RenderError(message, { blame, quotesNoValues: true }))

/** Removes file and line from errors, because the text is only a part of a file and has other line numbers. */
export const withoutPlace = <Result>(run: () => Result): Result =>
  rethrown(RenderError, run, ({ message }) => new RenderError(message))

/** Puts a name, for example `ConfigMap shop-chart`, before the message of an error. */
export const naming = <Result>(what: string, run: () => Result): Result =>
  rethrown(
    RenderError,
    run,
    ({ message, blame, quotesNoValues }) => new RenderError(`${what}: ${message}`, { blame, quotesNoValues }),
  )

export const lineBreaks = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
