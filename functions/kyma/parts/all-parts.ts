// The parts of kyma, in the order in which they report. All of them write in every pass, at once: what must wait for another part says so
// by the `order` of its steps.
import { kymaCopyPart } from './kyma-copy.ts'
import { moduleCatalogue } from './module-catalogue.ts'
import { modules } from './modules.ts'
import type { KymaPart } from './part.ts'
import { pullSecret } from './pull-secret.ts'
import { runtimeAgent } from './runtime-agent.ts'
import { runtimeCrds } from './runtime-crds.ts'
import { runtimeNamespacePart } from './runtime-namespace.ts'

export const parts: readonly KymaPart[] = [
  modules,
  moduleCatalogue,
  runtimeCrds,
  runtimeNamespacePart,
  kymaCopyPart,
  runtimeAgent,
  pullSecret,
]
