// The kinds of functions: the relay calls reconcile functions, the API server admission functions, and other clusters callback functions.
// Events, access, timeout, concurrency and memory of functions are in serverless.yml.
import type { LaterObject } from '../component/plan.ts'
import type { Measurement, Metric } from '../core/decisions/measurement.ts'
import type { PictureStep, Plan, Report, Step, StepResult } from '../core/decisions/plan.ts'
import type { GroupVersionKind, Key, KubeObject, NamedKind } from '../core/objects/object.ts'
import type { FunctionSetting, SettingValues } from '../core/settings/setting.ts'
import type { KeptCertificate } from '../core/tls/renewal.ts'
import type { ReadClusters } from '../kube/client-types.ts'
import type { RunHook, TakeSnapshot } from '../kube/writes/perform-step.ts'
import type { BegunCall, GatherContext } from './context.ts'

export type FunctionDefinition = ReconcileFunction | AdmissionFunction | CallbackFunction

type DeclaresSettings<Settings> = {
  /** Settings for people who install the operator. `context.settings` has the values. */
  settings?: { readonly [Name in keyof Settings]?: FunctionSetting<Settings[Name]> }
  /**
   * Called once when a process starts, with the values. The result is added to `context.settings`, for example the content of a file that a
   * setting names. If it rejects, for example because two values do not fit together, the process ends with the message.
   */
  configure?(values: Settings): Promise<Partial<Settings>> | Partial<Settings>
}

/** `Settings`: the type of `context.settings`, such as `SettingsOf<typeof settings>`. */
export type ReconcileFunction<
  World = unknown,
  Settings = SettingValues,
  Shared = unknown,
  Decided extends Plan = Plan,
> = DeclaresSettings<Settings> & {
  does: 'reconcile'
  name: string
  /** The kind of the objects that the function is called for. */
  kind: NamedKind
  /** The field manager of writes. Default: the name. */
  fieldManager?: string
  /**
   * The function owns the state of its objects: it reports a suspension in their status, and removes the annotation that requests a call.
   * At most one function per kind.
   */
  keepsState?: true
  /** Maximum number of concurrent steps (shared/kube/writes/perform-steps.ts). */
  requestsInFlight?: number
  metrics?: readonly Metric[]
  /** Pure. The measurement for a request of this HTTP method. Absent: requests are not measured. */
  countedRequest?(method: string): Measurement
  /** The metrics of cluster state that the function exposes. */
  seen?: SeenMetrics<Settings>
  /** The metrics that the function exposes for each object of its kind. */
  seenOfEach?: SeenOfEach<Settings>
  /** Called once per call. Makes the state that all passes share. */
  begin?(call: BegunCall<Settings>): Shared
  /** Must only read. Independent reads should be concurrent. */
  gather(object: KubeObject, context: GatherContext<Settings>, shared: Shared): Promise<World>
  /** Defines how the steps of this pass are performed. Default: in the clusters of the process, without hooks. */
  passScope?(world: World, shared: Shared): PassScope
  /** Pure. Decides the steps of the pass. */
  decide(world: World, now: Date): Decided
  /** Pure. The status after the steps. Default: the plan's status. */
  report?(world: World, plan: Decided, results: readonly StepResult[], now: Date): Report
  /** Pure. The progress of a long process, for display. */
  picture?(plan: Decided): readonly PictureStep[] | undefined
  /** Pure. The certificates that the function renews for the object, for display. Absent: none. */
  certificates?(world: World): readonly KeptCertificate[]
  /** Pure. For plans: the later writes, after the steps of this pass are done and ready. */
  later?(world: World, plan: Decided, now: Date): readonly LaterStep[]
  /** Returns steps that clean up after an object was removed. */
  leftBehind?(key: Key, context: GatherContext<Settings>): Promise<readonly Step[]>
  /** For events mapped `to: keys`: the objects to call when this object changes. */
  keys?(object: KubeObject, context: GatherContext<Settings>, change: ChangeType): Promise<Key[]>
}

/** Gauges that are read from the cluster at each scrape, so that all replicas expose the same values, without deleted objects. */
export type SeenMetrics<Settings = SettingValues> = {
  readonly metrics: readonly Metric[]
  read(context: GatherContext<Settings>): Promise<readonly Measurement[]>
}

/** Gauges of each object of a kind. A scrape lists the objects only once for all gauges. */
export type SeenOfEach<Settings = SettingValues> = {
  readonly metrics: readonly Metric[]
  /** Reads data that the measurements of all objects need. */
  begin(context: GatherContext<Settings>): Promise<(object: KubeObject) => readonly Measurement[]>
}

/** An object, such as `Deployment shop/shop`, or a step of a long process with the previous steps. */
export type LaterStep =
  | LaterObject
  | { readonly does: 'step'; readonly object: string; readonly after: readonly string[] }

/** For DELETED, the object is the last known state. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Defines how the steps of one pass are performed, and what happens after a pass without changes. */
export type PassScope = {
  /** The clusters for steps. Default: those of the process. */
  readonly clusters?: ReadClusters
  readonly runHook?: RunHook
  readonly takeSnapshot?: TakeSnapshot
  /**
   * The pass reused reads of an earlier pass, so it may not have seen the call's writes. The call then reports no own writes, so that their
   * events trigger another call.
   */
  readonly reusesReads?: boolean
  /** Called after a pass that settled without writes. After the mark, the next quiet call may read less (marks.ts). */
  markInOrder?(object: KubeObject): void
}

export type AdmissionFunction = DeclaresSettings<SettingValues> & {
  does: 'review'
  name: string
  kind: GroupVersionKind
  review: Review
  /** Answers the mutating webhooks. Default: `review` answers all webhooks. */
  mutate?: Review
  /** Further kinds for `review`. */
  also?: readonly GroupVersionKind[]
  /** Validating webhooks with their own review, by path below /webhooks/. */
  webhooks?: Readonly<Record<string, Pick<AdmissionFunction, 'kind' | 'also' | 'review'>>>
}

type Review = (request: AdmissionRequest, context: GatherContext) => Promise<AdmissionVerdict> | AdmissionVerdict

/** The request of an AdmissionReview (v1 or v1beta1). */
export type AdmissionRequest = {
  readonly uid: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly kind: { group: string; version: string; kind: string }
  readonly resource: { group: string; version: string; resource: string }
  readonly subResource?: string
  readonly name?: string
  readonly namespace?: string
  readonly object: KubeObject | null
  readonly oldObject: KubeObject | null
  readonly dryRun: boolean
  readonly userInfo: { username?: string; groups?: string[]; [field: string]: unknown }
}

export type AdmissionVerdict =
  /** `object`: the object to store. The host makes the patch. */
  | { allowed: true; object?: KubeObject; warnings?: string[] }
  | { allowed: false; code: number; reason: string; message: string; causes?: AdmissionCause[]; warnings?: string[] }

export type AdmissionCause = { reason: string; field: string; message: string }

/** Receives events from callers with a client certificate, and returns the affected objects. Writes nothing. */
export type CallbackFunction<Caller = unknown> = DeclaresSettings<SettingValues> & {
  does: 'receive'
  name: string
  /** Finds the caller by the common name in its certificate; undefined for an unknown caller. */
  callerOf(commonName: string, context: GatherContext): Promise<Caller | undefined>
  isListening(name: string, context: GatherContext): Promise<boolean>
  /** Returns the objects that an event affects. `event` may be any JSON; undefined when it is invalid. */
  concerned(event: unknown, caller: Caller, context: GatherContext): Promise<readonly ConcernedKeys[] | undefined>
}

export type ConcernedKeys = { readonly function: string; readonly keys: readonly Key[] }
