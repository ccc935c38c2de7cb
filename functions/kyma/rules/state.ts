// Derives the state of a Kyma from the reports of its parts. The first row that applies counts.
import { checks, firstRow } from '../../../shared/core/decisions/checks.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { ModuleState, ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { nameFault } from '../../../shared/kyma/kyma-runtime.ts'
import type { PartCondition, Trouble } from '../parts/part.ts'
import { kymaOperations } from '../reasons.ts'
import type { World } from '../world.ts'

type Judged = {
  readonly conditions: readonly PartCondition[]
  readonly modules: readonly ModuleStatus[]
  readonly troubles: readonly Trouble[]
}

type Row = {
  readonly when: (judged: Judged) => boolean
  readonly state: 'Error' | 'Warning' | 'Processing' | 'Ready'
  readonly operation: (judged: Judged) => string
}

const rows: readonly Row[] = [
  { when: ({ troubles }) => troubles.length > 0, state: 'Error', operation: ({ troubles }) => troubles[0]?.text ?? '' },
  { when: has('Error'), state: 'Error', operation: ({ modules }) => textOf(modules, 'Error') },
  { when: lacks('Error'), state: 'Error', operation: () => kymaOperations.started },
  { when: has('Warning'), state: 'Warning', operation: ({ modules }) => textOf(modules, 'Warning') },
  { when: has('Processing', 'Deleting', ''), state: 'Processing', operation: () => kymaOperations.waiting },
  { when: lacks('Processing'), state: 'Processing', operation: () => kymaOperations.started },
  { when: () => true, state: 'Ready', operation: () => kymaOperations.ready },
]

export const kymaState = (judged: Judged): { readonly state: Row['state']; readonly operation: string } => {
  const { state, operation } = firstRow(rows, judged)
  return { state, operation: operation(judged) }
}

function has(...states: readonly ModuleState[]): Row['when'] {
  return ({ modules }) => modules.some(({ state }) => states.includes(state))
}

/** Whether a condition with this meaning is False. Unknown conditions mean Processing. */
function lacks(meaning: PartCondition['otherwise']): Row['when'] {
  return ({ conditions }) =>
    conditions.some(({ status, otherwise }) =>
      status === 'Unknown' ? meaning === 'Processing' : status === 'False' && otherwise === meaning,
    )
}

const textOf = (modules: readonly ModuleStatus[], state: ModuleState): string =>
  modules.find(module => module.state === state)?.message ?? kymaOperations.waiting

/** The first fault of the Kyma as a whole. The modules do not change while it lasts. It does not block the deletion of a Kyma. */
export const troubleOf = (world: World): Trouble | undefined => (isDeleting(world.kyma) ? undefined : trouble(world))

const named = (text: string | undefined): Trouble | undefined =>
  text === undefined ? undefined : { text, needs: 'person' }

const trouble = checks<[World], Trouble>(
  ({ kyma }) => named(nameFault(kyma)),
  ({ runtime }) =>
    'fault' in runtime && { text: runtime.fault, needs: runtime.is === 'refused' ? 'person' : 'outside' },
  ({ wanted }) =>
    wanted.channel === 'none' && {
      text: 'invalid kyma spec: value "none" is not allowed in spec.channel',
      needs: 'person',
    },
)
