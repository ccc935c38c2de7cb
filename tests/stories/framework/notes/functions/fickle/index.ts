// fickle: one of the ways to note something.
import { noting } from '../note.ts'

export const fickleFunction = noting('fickle', { isFickle: true })
