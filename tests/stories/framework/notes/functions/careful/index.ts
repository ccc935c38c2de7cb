// careful: one of the two ways to note something.
import { noting } from '../note.ts'

export const carefulFunction = noting('careful', { isForgetful: false })
