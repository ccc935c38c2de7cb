// The manifests of a component: from its generator, or from memory if everything is the same as in an earlier call.
import { digestOf } from '../../../component/declared/digests.ts'
import { type JsonMap, mapOrEmpty } from '../../../core/json.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { Findings, TargetCluster } from '../../../render/generator.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { ComponentContext } from '../definition/definition.ts'
import type { Engine } from '../definition/engine.ts'
import type { Reached } from '../reached.ts'
import { type EngineStatus, withoutEngineStatus } from '../told/engine-status.ts'
import { type RenderingCall, type RenderingTask, renderedObjects } from './rendering.ts'

/** What the manifests depend on besides the component. */
export type Generation = {
  readonly configuration: Configuration
  readonly status: EngineStatus
  readonly reached: Reached
}

type Generating = Generation & {
  readonly engine: Engine
  readonly context: ComponentContext
  readonly call: RenderingCall
  /** Called with what a rendering looked up. */
  readonly lookedUp?: (found: Findings) => void
  /** Whether a Secret feeds the rendering by now; absent: never. */
  readonly isConfidential?: () => boolean
}

/** Rejects with the generator's error. */
export const generatedManifests = async (generating: Generating): Promise<readonly KubeObject[]> => {
  const { engine, call, reached } = generating
  if (!engine.options.hasPureGenerator) return (await made(generating)).manifests
  const component = withoutEngineStatus(generating.context.component, engine.options.statusPath)
  const key = keyOf(component, generating)
  const { manifests: lately, servedLately } = call.memory
  const kept = lately.of(key, servedLately(reached.target.name))
  if (kept) return kept
  const { manifests, cluster, hasLookedUp } = await made({
    ...generating,
    context: { ...generating.context, component },
  })
  if (!hasLookedUp) lately.keep(key, { manifests, cluster })
  return manifests
}

/** A digest of all that a pure generator depends on. */
const keyOf = (component: KubeObject, { engine, configuration, status, reached }: Generating): string => {
  const { deploymentNamespace, deploymentName } = configuration
  const { revision, revisionAt } = status
  return digestOf([
    engine.name,
    component,
    reached.digest,
    revision,
    revisionAt,
    deploymentNamespace,
    deploymentName,
    reached.target.name,
  ])
}

const made = async (generating: Generating) => {
  const { engine, configuration, context } = generating
  const parameters = engine.options.parameters(context.component)
  let cluster: TargetCluster | undefined
  let hasLookedUp = false
  const rendering = renderingOf(generating, (known, lookups) => {
    cluster = known
    hasLookedUp ||= lookups.size > 0
    if (lookups.size > 0) generating.lookedUp?.(lookups)
  })
  const manifests = await engine.generator(
    { ...context, render: (render, into) => renderedObjects(render, into, rendering) },
    configuration.deploymentNamespace,
    configuration.deploymentName,
    frozen(structuredClone(mapOrEmpty(parameters))),
  )
  if (!Array.isArray(manifests)) throw new TypeError('the generator answers no list of objects')
  return { manifests, cluster, hasLookedUp }
}

const renderingOf = (generating: Generating, noticed: RenderingTask['noticed']): RenderingTask => {
  const { engine, status, context, reached, call } = generating
  const { component, reconcilerName } = context
  const now = new Date(status.revisionAt ?? call.now())
  const { kubeConfigHosts, fieldOwner: fieldManager } = engine.options
  return {
    ...{ call, target: reached.target, kubeConfigHosts, fieldManager, noticed },
    isConfidential: generating.isConfidential,
    context: { reconcilerName, component, componentDigest: reached.digest, revision: status.revision ?? 1, now },
  }
}

const frozen = (value: JsonMap): JsonMap => {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner as JsonMap)
  return Object.freeze(value)
}
