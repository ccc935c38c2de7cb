import { nothingIsLostFor } from '../nothing-is-lost-for.ts'

await nothingIsLostFor('garden-reconcile')
