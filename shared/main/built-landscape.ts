// The landscape with which a program was built. A program that runs from its sources has none: the build replaces this file
// (shared/deploy/bundle.ts).
import type { Landscape } from '../api/serverless.ts'

export const builtLandscape: Landscape | undefined = undefined as Landscape | undefined
