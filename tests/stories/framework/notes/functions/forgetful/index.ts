// forgetful: one of the two ways to note something.
import { noting } from '../note.ts'

export const forgetfulFunction = noting('forgetful', { isForgetful: true })
