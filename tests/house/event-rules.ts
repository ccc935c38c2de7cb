// What a function's definition and its events in serverless.yml must agree on, because the relay acts on the one and the
// host on the other.
import type { FunctionSettings, Landscape } from '../../shared/api/serverless.ts'
import type { AdmissionFunction, FunctionDefinition, ReconcileFunction } from '../../shared/runtime/definition.ts'
import type { Fault } from './import-rules.ts'

export const eventFaults = (functions: readonly FunctionDefinition[], landscape: Landscape): Fault[] =>
  functions.flatMap(definition => {
    const settings = landscape.functions[definition.name]
    return settings === undefined ? [] : faultsOf(definition, settings).map(fault => ({ path: definition.name, fault }))
  })

const faultsOf = (definition: FunctionDefinition, settings: FunctionSettings): string[] => {
  const isCalledByApiServer = settings.events.some(event => 'admission' in event)
  const receives = settings.events.some(event => 'callback' in event)
  if (receives !== (definition.does === 'receive'))
    return ['must receive callbacks if and only if it has such an event']
  if (definition.does === 'receive') return []
  if (definition.does === 'review') return reviewFaultsOf(definition, settings)
  return isCalledByApiServer ? ['reconciles, but has an admission event'] : watchFaultsOf(definition, settings)
}

const reviewFaultsOf = (definition: AdmissionFunction, { events }: FunctionSettings): string[] => {
  const types = events.flatMap(event => ('admission' in event ? [event.admission.type] : []))
  if (types.length === 0) return ['reviews, but has no admission event']
  return definition.mutate && !types.includes('mutating') ? ['mutates, but has no mutating webhook'] : []
}

const watchFaultsOf = (definition: ReconcileFunction, settings: FunctionSettings): string[] =>
  settings.events.flatMap(event => {
    if (!('watch' in event)) return []
    const { apiVersion, kind, map } = event.watch
    const isOwn = apiVersion === definition.kind.apiVersion && kind === definition.kind.kind
    return [
      ...(map === 'self' && !isOwn ? [`maps ${kind} to itself, but is called for ${definition.kind.kind}`] : []),
      ...(map === 'keys' && !definition.keys ? [`asks for keys of ${kind}, which it cannot tell`] : []),
    ]
  })
