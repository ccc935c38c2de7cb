// Preconditions, propagation and grace of a deletion.
import { faultsIn, invalidValue, unsupported } from '../faults.ts'
import { decodeAs } from '../kinds/decode.ts'
import { badRequest, invalid } from '../status.ts'
import { isMap, isTooDeep, listAt, textAt } from '../value.ts'
import { yamlValue } from './body.ts'
import type { Call } from './call.ts'
import { boolean, dryRunFaults, integer } from './options.ts'

export type Propagation = 'Orphan' | 'Background' | 'Foreground'

export type DeleteOptions = {
  readonly isDryRun: boolean
  readonly propagation: Propagation | undefined
  readonly graceSeconds: number | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

const optionsType = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
const propagations = ['Foreground', 'Background', 'Orphan']

export const deleteOptions = (call: Call): DeleteOptions => {
  const body = bodyOf(call)
  const { query } = call
  const orphan = body.orphanDependents ?? boolean(query, 'orphanDependents')
  const given = body.propagationPolicy ?? query.get('propagationPolicy') ?? undefined
  const dryRun = [...listAt(body, 'dryRun').map(String), ...query.getAll('dryRun')]
  const faults = faultsIn(
    given !== undefined &&
      orphan !== undefined &&
      invalidValue('propagationPolicy', given, 'orphanDependents and deletionPropagation cannot be both set'),
    given !== undefined &&
      !propagations.includes(String(given)) &&
      unsupported('propagationPolicy', given, [...propagations, 'nil']),
    dryRunFaults(dryRun),
  )
  if (faults.length) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults)
  const legacy = orphan === undefined ? undefined : orphan ? 'Orphan' : 'Background'
  return {
    isDryRun: dryRun.length > 0,
    propagation: (given ?? legacy) as Propagation | undefined,
    graceSeconds:
      typeof body.gracePeriodSeconds === 'number' ? body.gracePeriodSeconds : integer(query, 'gracePeriodSeconds'),
    uid: textAt(body, 'preconditions', 'uid') || undefined,
    resourceVersion: textAt(body, 'preconditions', 'resourceVersion') || undefined,
  }
}

const bodyOf = (call: Call): Record<string, unknown> => {
  if (call.body.trim() === '') return {}
  if (isTooDeep(call.body)) throw badRequest('DeleteOptions: exceeded max depth')
  const value = call.contentType === 'application/yaml' ? yamlValue(call.body) : json(call.body)
  if (!isMap(value)) return {}
  if (value.kind !== undefined && value.kind !== '' && value.kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(value.kind)} is registered for version ${JSON.stringify(value.apiVersion ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    )
  return decodeAs(optionsType, value, [])
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as SyntaxError).message}`)
  }
}
