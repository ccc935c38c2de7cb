// The landscape that a program was built with. Programs that run from their sources have none: the build replaces this file
// (shared/deploy/build/bundle.ts).
import type { Landscape } from '../api/serverless.ts'

export const builtLandscape: Landscape | undefined = undefined as Landscape | undefined
