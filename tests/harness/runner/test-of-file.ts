// The module that files of a room import as tap. `room.ts` loads it once for each file.
import { currentTest } from './room.ts'

export default currentTest()
