// The status fields that a definition's option `notes` answers.
import { isMap } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { ComponentCall } from '../call.ts'
import { componentContext } from '../contexts.ts'
import type { Reached } from '../reached.ts'

/** The component with them. A field that is undefined is removed. */
export const noted = (component: KubeObject, reached: Reached, call: ComponentCall): KubeObject => {
  const notes = call.engine.options.notes(componentContext(component, reached, call))
  const status = Object.entries({ ...(isMap(component.status) && component.status), ...notes }).filter(
    ([, value]) => value !== undefined,
  )
  return { ...component, status: Object.fromEntries(status) }
}
