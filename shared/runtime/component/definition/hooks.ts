// Runs what the developer of a kind wants done at a point of a component's life. Hooks get a copy: what they change of
// its status is saved with the pass, and anything else they change is an error.
import { isDeepStrictEqual } from 'node:util'
import { errorText } from '../../../core/error-text.ts'
import type { KubeObject } from '../../../core/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import type { ComponentContext, Hook, Hooks } from './definition.ts'

type HooksRun = {
  readonly point: keyof Hooks
  readonly hooks: readonly Hook[]
  readonly component: KubeObject
  readonly context: Omit<ComponentContext, 'component'>
  /** Under the function's own identity. */
  readonly client: Client
}

/** The component with the status that the hooks left. The first that throws is the last that ran. */
export const runHooks = async ({ point, hooks, component, context, client }: HooksRun): Promise<KubeObject> => {
  const copy = structuredClone(component)
  for (const [index, hook] of hooks.entries()) {
    const place = `hook ${point} ${index + 1}`
    try {
      await hook({ ...context, component: copy }, client, copy)
    } catch (error) {
      throw new Error(`${place}: ${errorText(error)}`, { cause: error })
    }
    const isUntouched = isDeepStrictEqual({ ...copy, status: undefined }, { ...component, status: undefined })
    if (!isUntouched) throw new Error(`${place}: it changed more of the component than its status`)
  }
  return copy
}
