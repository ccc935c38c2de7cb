// forgetful: one of the ways to note something.
import { noting } from '../note.ts'

export const forgetfulFunction = noting('forgetful', { isForgetful: true })
