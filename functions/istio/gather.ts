// Reads for istio: which Istio counts, and then what each part wants to know, part by part as they may run.
import { istioNames } from '../../shared/api/istio/names.ts'
import { istioKind } from '../../shared/api/istio.ts'
import type { Log } from '../../shared/core/log.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { reading } from '../../shared/kube/reading.ts'
import { type Charts, chartSets } from '../../shared/runtime/charts.ts'
import type { BegunCall, GatherContext } from '../../shared/runtime/context.ts'
import type { CallScope } from '../../shared/runtime/definition.ts'
import { factsOf } from './gather/all-readers.ts'
import { askedOnce } from './gather/asked-once.ts'
import type { Untouched } from './gather/looking.ts'
import { isInstallationUntouched, runOf } from './parts/all-parts.ts'
import { istioRefusal } from './rules/checks.ts'
import { installedObjects } from './rules/installation/found-objects.ts'
import type { RestartsTried } from './rules/restarts/survey.ts'
import type { Istio, World } from './world.ts'

/** What all passes of a call share. */
export type IstioCall = CallScope & {
  readonly now: () => Date
  readonly log: Log
  readonly charts: Charts
  readonly tried: RestartsTried
  /** Of what others write alone. */
  readonly lasting: Reads
  readonly untouched: Untouched
}

const { control } = istioNames.namespaces
const { prefix: reconcilerName, fieldManagers } = istioNames

export const istioCall = (call: BegunCall): IstioCall => ({
  ...{ now: call.now, log: call.log, tried: new Map(), lasting: askedOnce(call.reads), untouched: {} },
  charts: chartSets(call, { reconcilerName, fieldManager: fieldManagers.operator }),
})

const listOfIstios = { ...istioKind, namespace: control, metadataOnly: true }

export const gather = async (object: KubeObject, context: GatherContext, call: IstioCall): Promise<World> => {
  const istio = { ...object, spec: object.spec ?? {} } as Istio
  const istios = await reading(call.lasting.list(listOfIstios))
  let world: World = { istio, istios, settings: context.installation.istio, facts: {} }
  if (istioRefusal(world)) return world
  for (;;) {
    const run = runOf(world, call.now())
    const { unread } = run
    if (unread.length === 0) {
      call.untouched.objects = isInstallationUntouched(run, istio) ? installedObjects(world.facts) : undefined
      return world
    }
    const found = await factsOf(unread, { ...call, world, context, now: call.now() })
    world = { ...world, facts: { ...world.facts, ...found } }
  }
}
