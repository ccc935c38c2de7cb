// The interface between the engine and what renders a component's dependents (Helm, Kustomize, a plain list). Rendering is
// pure: a rendering answers which objects its templates look up, the caller reads them, and the next try gets them.
import type { JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { Blame } from './fault.ts'

/** An artifact unpacked, by path relative to its root: no leading slash, no `..`. */
export type Files = ReadonlyMap<string, Uint8Array>

/** All that a rendering may know besides its files and parameters; the same context renders the same objects. */
export type RenderContext = {
  /** Of the deployment: where namespaced objects go, and the release's name. */
  readonly namespace: string
  readonly name: string
  /** The definition's name, which keys of annotations begin with. */
  readonly reconcilerName: string
  readonly component: KubeObject
  readonly componentDigest: string
  /** Counts component digests from 1. */
  readonly revision: number
  /** When this revision began: what templates take for now. */
  readonly now: Date
  readonly cluster: TargetCluster
  /** Bytes that look random and are the same for a template's nth call within a revision. */
  readonly draw: (purpose: RandomPurpose, bytes: number) => Uint8Array
  /** Lookups so far. */
  readonly found: Findings
  readonly at?: At
}

/** Told of each file before it is worked on, so that one that never ends can be named. */
export type At = (file: string) => void

export type RandomPurpose = { readonly template: string; readonly call: number }

/** The cluster that dependents go to, as its discovery describes it. */
export type TargetCluster = {
  /** `v1.36.3`. */
  readonly version: string
  /** `v1`, `apps/v1`, `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[]
}

/** One question to a cluster. `name` is '' for a list. */
export type Lookup = {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly labelSelector?: string
  /** The target cluster; the component's own; or the one that a kubeconfig in the template's hands leads to. */
  readonly in: 'target' | 'local' | { readonly kubeconfig: string }
}

/** Answers by `lookupKey`: an object, undefined where there is none, or for a list its objects. */
export type Findings = ReadonlyMap<string, KubeObject | readonly KubeObject[] | undefined>

/** Either all objects, or what must be looked up before the next try. Throws `RenderError` for what can't be rendered. */
export type Rendering = { readonly objects: readonly KubeObject[] } | { readonly needs: readonly Lookup[] }

/** Pure; `parameters` is frozen. */
export type Render = (context: RenderContext, parameters: JsonMap) => Rendering

export const lookupKey = (lookup: Lookup): string =>
  JSON.stringify([lookup.apiVersion, lookup.kind, lookup.namespace, lookup.name, lookup.labelSelector ?? '', lookup.in])

/** A template, chart or kustomization is at fault, or its parameters are: trying again will not help. */
export class RenderError extends Error {
  override readonly name = 'RenderError'
  /** A safe description, because the message may quote rendered values. */
  readonly blame: Blame
  /** The message quotes the artifact at most, so that all of it may be told. */
  readonly quotesNoValues: boolean

  constructor(message: string, { cause, blame = unknown, quotesNoValues = false }: About = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.blame = blame
    this.quotesNoValues = quotesNoValues
  }
}

const unknown: Blame = { kind: 'unrenderable' }

type About = ErrorOptions & { readonly blame?: Blame; readonly quotesNoValues?: boolean }
