// stubborn: one of the ways to note something.
import { noting } from '../note.ts'

export const stubbornFunction = noting('stubborn', { isStubborn: true })
