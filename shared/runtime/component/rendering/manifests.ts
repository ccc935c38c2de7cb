// Gets the manifests of a component from its generator, or from the cache if all inputs are the same.
import { digestOf } from '../../../component/declared/dependent.ts'
import { type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../../core/objects/object.ts'
import type { TargetCluster } from '../../../render/generator.ts'
import { type ComponentCall, componentContext, type Rendered } from '../call.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { ComponentContext } from '../definition/definition.ts'
import type { Engine } from '../definition/engine.ts'
import { holdsSecrets } from '../references/secrecy.ts'
import { type EngineStatus, withoutEngineStatus } from '../status/engine-status.ts'
import type { Reached } from '../target-cluster.ts'
import type { Made } from './kept-manifests.ts'
import { type RenderingCall, type RenderingTask, renderedObjects } from './rendering.ts'

type Generation = {
  readonly configuration: Configuration
  readonly status: EngineStatus
  readonly reached: Reached
}

/** Renders once per call, digest and revision. Rejects with the generator's error. */
export const rendered = (component: KubeObject, generation: Generation, call: ComponentCall): Promise<Rendered> => {
  const { reached, status } = generation
  const key = `${reached.digest} ${status.revision} ${isDeleting(component)}`
  const context = () => componentContext(component, reached, call)
  return call.kept.rendered(key, () =>
    generatedManifests({ ...generation, engine: call.engine, call: call.begun, context: context() }),
  )
}

type Generating = Generation & {
  readonly engine: Engine
  readonly context: ComponentContext
  readonly call: RenderingCall
}

export const generatedManifests = async (generating: Generating): Promise<Rendered> => {
  const { engine, call, reached } = generating
  if (!engine.options.hasPureGenerator) return made(generating)
  const component = withoutEngineStatus(generating.context.component, engine.options.statusPath)
  const id = `${engine.name} ${keyText(keyOf(component))}`
  const digest = inputDigest(component, generating)
  const { manifests: lately, servedLately } = call.memory
  const kept = lately.of(id, digest, servedLately(reached.target.name))
  if (kept) return { manifests: kept, hasLookedUp: false, isConfidential: reached.secrecy.isConfidential }
  const fresh = await made({ ...generating, context: { ...generating.context, component } })
  if (!fresh.hasLookedUp) lately.keep(id, digest, fresh)
  return fresh
}

const inputDigest = (component: KubeObject, { engine, configuration, status, reached }: Generating): string => {
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

const made = async (generating: Generating): Promise<Rendered & Made> => {
  const { engine, configuration, context, reached } = generating
  const parameters = engine.options.parameters(context.component)
  const known = { hasLookedUp: false, isConfidential: reached.secrecy.isConfidential }
  let cluster: TargetCluster | undefined
  const rendering = renderingOf(generating, {
    noticed: (target, lookups) => {
      cluster = target
      known.hasLookedUp ||= lookups.size > 0
      known.isConfidential ||= holdsSecrets(lookups)
    },
    isConfidential: () => known.isConfidential,
  })
  const manifests = await engine.generator(
    { ...context, render: (render, into) => renderedObjects(render, into, rendering) },
    configuration.deploymentNamespace,
    configuration.deploymentName,
    frozen(structuredClone(mapOrEmpty(parameters))),
  )
  if (!Array.isArray(manifests)) throw new TypeError('the generator must return a list of objects')
  return { ...known, manifests, cluster }
}

type Noticing = Pick<RenderingTask, 'noticed' | 'isConfidential'>

const renderingOf = (generating: Generating, noticing: Noticing): RenderingTask => {
  const { engine, status, context, reached, call } = generating
  const { component, reconcilerName } = context
  const now = new Date(status.revisionAt ?? call.now())
  const { kubeConfigHosts: allowedHosts, kubeConfigLookups } = engine.options
  const { here, there } = generating.configuration.identity
  const actsAs = (there ?? here)?.user
  return {
    call,
    target: reached.target,
    elsewhere: { allowedHosts, ...(!kubeConfigLookups && actsAs !== undefined && { refusedFor: actsAs }) },
    ...noticing,
    context: { reconcilerName, component, componentDigest: reached.digest, revision: status.revision ?? 1, now },
  }
}

const frozen = (value: JsonMap): JsonMap => {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner as JsonMap)
  return Object.freeze(value)
}
