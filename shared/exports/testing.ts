// `import … from 'espalier/testing'`: helpers for tests of your own functions.

export type { People } from '../main/own/operator.ts'
export { type Operator, type OperatorOptions, startOperator } from '../main/own/operator.ts'
export { canary, hasCanary, type Story, type StoryStage, type Trial, tryFunction } from '../main/own/trial.ts'
