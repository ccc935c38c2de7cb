// `import … from 'espalier/testing'`: what tests of functions of one's own need.
export { startEmbeddedCluster } from '../embedded/start.ts'
