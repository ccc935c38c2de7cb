// The interface between the engine and what renders a component's dependents (Helm, Kustomize, a plain list). Rendering
// is pure: it returns which objects its templates look up, the caller reads them and renders again.
import type { JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'

/** By path relative to the artifact's root: no leading slash, no `..`. */
export type Files = ReadonlyMap<string, Uint8Array>

/** All that a rendering may know besides its files and parameters. */
export type RenderContext = {
  /** The deployment's namespace, for namespaced objects and the release. */
  readonly namespace: string
  readonly name: string
  /** The definition's name, the prefix of annotation keys. */
  readonly reconcilerName: string
  readonly component: KubeObject
  readonly componentDigest: string
  readonly revision: number
  /** When this revision began, which is `now` in templates. */
  readonly now: Date
  readonly cluster: TargetCluster
  /** Bytes that look random, the same for a template's nth call within a revision. */
  readonly draw: (purpose: RandomPurpose, bytes: number) => Uint8Array
  readonly found: Findings
  readonly at?: At
}

/** Called with a file before work on it begins, so that a file whose work never ends can be named. */
export type At = (file: string) => void

export type RandomPurpose = { readonly template: string; readonly call: number }

export type TargetCluster = {
  /** `v1.36.3`. */
  readonly version: string
  /** `v1`, `apps/v1`, `apps/v1/Deployment`. */
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

/** By `lookupKey`: an object, undefined where there is none, or the objects of a list. */
export type Findings = ReadonlyMap<string, KubeObject | readonly KubeObject[] | undefined>

/** All objects, or what must be looked up before the next try. */
export type Rendering = { readonly objects: readonly KubeObject[] } | { readonly needs: readonly Lookup[] }

/** Pure; `parameters` is frozen. Throws RenderError. */
export type Render = (context: RenderContext, parameters: JsonMap) => Rendering

export const lookupKey = (lookup: Lookup): string =>
  JSON.stringify([lookup.apiVersion, lookup.kind, lookup.namespace, lookup.name, lookup.labelSelector ?? '', lookup.in])

/** A template, chart or kustomization is wrong, or its parameters are: trying again will not help. */
export class RenderError extends Error {
  override readonly name = 'RenderError'
  /** Can be shown where the message may not, because that may quote rendered values. */
  readonly blame: Blame
  /** The message quotes the artifact at most, so that it can be shown. */
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
  /** The places in a values.schema.json that the values violate. */
  readonly rules?: readonly string[]
}

const faultKinds = {
  unrenderable: 'cannot be rendered',
  syntax: 'is no template',
  execution: 'cannot be executed',
  author: 'stops the rendering',
  limit: 'takes more than a rendering may',
  yaml: 'gives no YAML',
  object: 'gives what is no object',
  values: 'is no map of values',
  schema: 'does not allow these values',
  hook: 'gives an annotation of Helm that is not understood',
  combination: 'gives an annotation that cannot be combined with a hook of Helm',
  resource: 'holds no proper objects',
  settings: 'is no proper kustomization',
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
