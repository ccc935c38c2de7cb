// A scenario: one story of one function, told as what people and other controllers do to the world, stage by stage.
// The fault tests run it once undisturbed, then again and again with a fault, and compare. Each function's scenarios
// are in scenarios/<function>.ts, which exports them as `scenarios`.
import type { Key, KubeObject, ObjectRef } from '../../shared/core/objects/object.ts'
import type { ListQuery } from '../../shared/kube/client-types.ts'
import type { FunctionDefinition } from '../../shared/runtime/definition.ts'

export type Scenario = {
  readonly title: string
  /** What the function is called with. */
  readonly key: Key
  /** Paths of CRDs below manifests/crds/, or of those made for tests. */
  readonly crds: readonly string[]
  readonly namespaces: readonly string[]
  /** The Secret that leads real processes to the other cluster of the story; absent when it plays in one. */
  readonly accessSecret?: (kubeconfig: string) => KubeObject
  /** What hosts have of a registry. */
  readonly blobs?: readonly Buffer[]
  /** Everything the story is about: compared after each stage, and removed after the last one. */
  readonly observes: readonly ListQuery[]
  readonly stages: readonly Stage[]
  /** Makes equal what the function makes anew in each run, like keys. */
  readonly masked?: (objects: readonly KubeObject[]) => readonly KubeObject[]
  /** The part of an object's name that is made anew in each run, such as a digest of a key. */
  readonly volatileNames?: RegExp
  readonly rivalry?: Rivalry
  /** A wait of so many seconds is no rest: the function goes on by itself when it is over. */
  readonly goesOnAfterSeconds?: number
  /** The same of every wait that is this short: of a pause that has begun, only the rest is waited for. */
  readonly goesOnWithinSeconds?: number
  /** An object of the first stage whose end concerns the function. */
  readonly dependent: ObjectRef
}

/** What a rival fights for; the object the function is called for, and no status, if nothing is said. */
export type Rivalry = {
  readonly ref?: ObjectRef
  /** Fields of the status that are the rival's, different for each number. */
  readonly status?: (n: number) => Record<string, unknown>
  /** What the rival keeps its hands off, because a change of it means something to the function. */
  readonly leaves?: readonly Turf[]
}

export type Turf = 'labels' | 'annotations' | 'status' | 'finalizers'

export type Stage = {
  readonly title: string
  readonly change: (people: People) => Promise<unknown>
  /** What must be true of the observed objects once the function is at rest: a sentence per fault. */
  readonly faults: (objects: readonly KubeObject[]) => readonly string[]
}

/** What people do with kubectl. */
export type People = {
  create(object: KubeObject): Promise<KubeObject>
  /** A merge patch. */
  change(ref: ObjectRef, merge: Record<string, unknown>): Promise<KubeObject>
  /** The same in the status: what other controllers say. */
  changeStatus(ref: ObjectRef, merge: Record<string, unknown>): Promise<KubeObject>
  delete(ref: ObjectRef): Promise<unknown>
  /** Takes away one finalizer that was somebody else's than the function's. */
  release(ref: ObjectRef, finalizer: string): Promise<unknown>
}

/** The function's scenarios; a function without any is a fault. */
export const scenariosOf = async ({ name }: FunctionDefinition): Promise<readonly Scenario[]> => {
  const file = new URL(`./scenarios/${name}.ts`, import.meta.url)
  try {
    const { scenarios } = (await import(file.href)) as { scenarios?: readonly Scenario[] }
    if (scenarios && scenarios.length > 0) return scenarios
    throw new Error(`tests/faults/scenarios/${name}.ts exports no list named scenarios`)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new Error(`the function ${name} has no fault scenario: write tests/faults/scenarios/${name}.ts`)
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
