// runtime-events: receives events of runtimes, and makes the relay call the affected objects.
import type { Kyma } from '../../shared/kyma/kinds.ts'
import type { CallbackFunction } from '../../shared/runtime/definition.ts'
import { decide, eventIn } from './decide.ts'
import { gather, isListening, kymaOf } from './gather.ts'

export const runtimeEvents: CallbackFunction<Kyma> = {
  does: 'receive',
  name: 'runtime-events',
  callerOf: kymaOf,
  isListening,
  concerned: async (body, kyma, context) => {
    const event = eventIn(body)
    return event && decide(await gather(event, kyma, context))
  },
}
