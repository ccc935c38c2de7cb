// Loaded before every test file (`run-rooms.ts`). tap asks Node about every promise, to report an error that nobody awaited below its test. This is a
// sixth of all that tests compute. Without it, such an error still fails its file, at the end.
import asyncHooks, { type AsyncHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const idle: AsyncHook = { enable: () => idle, disable: () => idle }
asyncHooks.createHook = () => idle
syncBuiltinESMExports()
