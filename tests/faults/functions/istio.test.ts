import { nothingIsLostFor } from '../nothing-is-lost-for.ts'

await nothingIsLostFor('istio')
