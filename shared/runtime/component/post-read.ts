// Runs the postRead hooks: once in a call, right after the component was read. Its configuration is not known yet, nor what it
// refers to: a hook reads a reference when it asks for it.
import type { KubeObject } from '../../core/objects/object.ts'
import type { ComponentCall } from './call.ts'
import { actingIdentity } from './configuration/identity.ts'
import { codeContext, loadContext } from './contexts.ts'
import type { PostReadContext } from './definition/definition.ts'
import { runHooks } from './definition/hooks.ts'
import { readingAs } from './references/reading-as.ts'
import { readReference } from './references/references.ts'
import { noSecrets, type Secrecy, withSecret } from './references/secrecy.ts'

type AfterPostRead = {
  /** With the status that the hooks left. */
  readonly component: KubeObject
  /** Of what the hooks asked for. */
  readonly secrecy: Secrecy
  /** What a hook threw. */
  readonly error?: unknown
}

/** Nothing is run for a component that acts as nobody we understand: its configuration is refused next. */
export const afterPostRead = async (object: KubeObject, call: ComponentCall): Promise<AfterPostRead> => {
  const { engine, begun, hooksRun } = call
  const { postRead: hooks } = engine.hooks
  const identified = actingIdentity(object, engine.options)
  if (hooks.length === 0 || hooksRun.has('postRead') || 'faults' in identified)
    return { component: object, secrecy: noSecrets }
  hooksRun.add('postRead')
  let secrecy = noSecrets
  const localClient = readingAs(begun.local, identified.identity.here)
  const context: PostReadContext = {
    ...codeContext(object, call),
    localClient,
    reference: async path => {
      const referred = await readReference(path, engine.options.references, loadContext(object, localClient, call))
      if (referred) secrecy = withSecret(secrecy, referred)
      return referred?.value
    },
  }
  try {
    const component = await runHooks({ point: 'postRead', hooks, component: object, context, client: begun.local })
    return { component, secrecy }
  } catch (error) {
    return { component: object, secrecy, error }
  }
}
