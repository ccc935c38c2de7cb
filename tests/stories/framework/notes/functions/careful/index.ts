// careful: one of the ways to note something.
import { noting } from '../note.ts'

export const carefulFunction = noting('careful', {})
