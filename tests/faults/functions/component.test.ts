import t from 'tap'
import { nothingIsLostFor } from '../nothing-is-lost-for.ts'

await nothingIsLostFor(t, 'component')
