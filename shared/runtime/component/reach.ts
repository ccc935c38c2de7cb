// Reads the references of a component, and finds the cluster of its dependents.
import { componentDigest } from '../../component/declared/dependent.ts'
import { nothingObserved, type ObservedCluster } from '../../component/world.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type ComponentCall, generationKey, loadContext } from './call.ts'
import type { Configuration } from './configuration/configuration.ts'
import { sharingInNamespace } from './reads/shared.ts'
import { namesSecrets, readingAs, readReferences } from './references/references.ts'
import { noSecrets, secrecyOf } from './references/secrecy.ts'
import { localTarget, type Reached, type Referring, targetOf } from './target-cluster.ts'

export const referring = async (
  component: KubeObject,
  { identity }: Configuration,
  call: ComponentCall,
): Promise<Referring> => {
  const { references: options } = call.engine.options
  if (call.isLeftAlone)
    return { references: new Map(), secrecy: { ...noSecrets, isConfidential: namesSecrets(options, component) } }
  const client = readingAs(call.begun.local, identity.here)
  const sharing = sharingInNamespace(client, localTarget, { component, identity, begun: call.begun })
  const context = { ...loadContext(component, client, call), reads: sharing }
  const references = await call.kept.references(generationKey(component), () => readReferences(options, context))
  const { isConfidential, words } = secrecyOf(references.values())
  return { references, secrecy: { isConfidential: isConfidential || namesSecrets(options, component), words } }
}

type Reaching = Referring & { readonly configuration: Configuration; readonly call: ComponentCall }

/** Rejects with ReferenceMissing, or with AccessError for a refused kubeconfig. */
export const reach = async (component: KubeObject, reaching: Reaching): Promise<Reached> => {
  const { references, secrecy, configuration, call } = reaching
  const { kubeConfigHosts } = call.engine.options
  const target = await call.kept.target(generationKey(component), () =>
    targetOf({ component, configuration, kubeConfigHosts, call: call.begun }),
  )
  const digests = [...references].map(([path, { digest }]) => [path, digest])
  return {
    digest: componentDigest(component, Object.fromEntries(digests)),
    references,
    target,
    secrecy: { ...secrecy, words: [...secrecy.words, ...(target.credentials ?? [])] },
  }
}

/** The facts that need no read: the component's own namespace exists. */
export const knownBefore = ({ metadata: { namespace } }: KubeObject, { target }: Reached): ObservedCluster => {
  const isAtHome = namespace !== undefined && target.name === localTarget
  if (!isAtHome) return nothingObserved
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  return { ...nothingObserved, namespaces: new Map([[namespace, home]]) }
}
