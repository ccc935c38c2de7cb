import { nothingIsLostFor } from '../nothing-is-lost-for.ts'

await nothingIsLostFor('mandatory-modules-delete')
