// `import … from 'espalier/testing'`: what tests of functions of one's own need.
export { type Operator, type OperatorOptions, startOperator } from '../main/own/operator.ts'
