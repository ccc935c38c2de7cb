// `import … from 'espalier/embedded'`: a Kubernetes API server in this process, for any client.
export { type EmbeddedCluster, type EmbeddedOptions, startEmbeddedCluster } from '../embedded/start.ts'
