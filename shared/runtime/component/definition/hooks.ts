// Runs the developer's hooks. They get a copy of the component: what they change of its status is saved with the pass, and
// any other change is an error.
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../../core/objects/object.ts'
import { errorText } from '../../../core/text/error-text.ts'
import type { Client } from '../../../kube/client-types.ts'
import type { CodeContext, HookOf, Hooks } from './definition.ts'

type HooksRun<Context extends CodeContext> = {
  readonly point: keyof Hooks
  readonly hooks: readonly HookOf<Context>[]
  readonly component: KubeObject
  readonly context: Context
  /** Under the function's own identity. */
  readonly client: Client
}

/** The component with the status that the hooks left. After a hook that throws no further hook runs. */
export const runHooks = async <Context extends CodeContext>(run: HooksRun<Context>): Promise<KubeObject> => {
  const { point, hooks, component, context, client } = run
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
