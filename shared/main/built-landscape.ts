// The landscape a program was built with, checked then. Programs that run from their sources have none: a build puts its
// own in the place of this file (shared/deploy/build/bundle.ts).
import type { Landscape } from '../api/serverless.ts'

export const builtLandscape: Landscape | undefined = undefined as Landscape | undefined
