// What keeps the logs of a runtime cluster: vali stores them, fluent-bit on every node sends them, fluent-operator runs fluent-bit.

import { keepsLogs } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { fluentBit } from './fluent-bit.ts'
import { fluentOperator } from './fluent-operator.ts'
import { gardenLogs } from './garden-logs.ts'
import { vali } from './vali.ts'

export const logging = (world: World): readonly KubeObject[] => [
  ...(keepsLogs(world.garden) ? vali(world) : []),
  ...fluentOperator(world),
  ...fluentBit(world),
  ...gardenLogs(),
]
