// What the files of a room import as tap: once for each of them, by `room.ts`.
import { currentTest } from './room.ts'

export default currentTest()
