import { nothingIsLostFor } from '../nothing-is-lost-for.ts'

await nothingIsLostFor('runtime-certificate')
