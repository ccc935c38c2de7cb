// Loaded before every test file (`run-rooms.ts`). tap asks Node about every promise, to tell an error that nobody awaited beneath the test
// it came from: that is a sixth of all that tests compute. Without it such an error fails its file all the same, at its end.
import asyncHooks, { type AsyncHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const idle: AsyncHook = { enable: () => idle, disable: () => idle }
asyncHooks.createHook = () => idle
syncBuiltinESMExports()
