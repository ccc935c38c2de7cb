// `import … from 'espalier/testing'`: helpers for tests of your own functions.
export { type Operator, type OperatorOptions, startOperator } from '../main/own/operator.ts'
export type { People } from '../main/own/people.ts'
export { canary, hasCanary } from '../main/own/trial/canary.ts'
export { type Story, type StoryStage, type Trial, tryFunction } from '../main/own/trial/trial.ts'
