// Builds checks for configurations of admission plugins.
import { isFrom } from '../../../../shared/api/kubernetes/versions.ts'
import {
  type ConfigurationFile,
  invalidConfiguration,
  valueFault,
} from '../../../../shared/core/apiserver/configuration.ts'
import type { FieldError } from '../../../../shared/core/objects/field-error.ts'

/** Why an API server does not start with the configuration. `minor`: the Kubernetes version, for example `1.34`. Absent: the newest. */
export type Judge = (purpose: string, config: unknown, minor: string | undefined) => string | undefined

type Row<Value> = Omit<ConfigurationFile<Value>, 'purpose' | 'fault'> & {
  /** Kinds that are accepted only before this version of Kubernetes. */
  readonly formerly?: { readonly before: string; readonly kinds: Readonly<Record<string, string>> }
  readonly errors: (value: Value) => readonly FieldError[]
}

export const row =
  <Value>({ errors, formerly, kinds, ...rest }: Row<Value>): Judge =>
  (purpose, config, minor) =>
    valueFault<Value>(
      {
        ...{ ...rest, purpose, kinds: { ...kinds, ...(isBefore(formerly?.before, minor) && formerly?.kinds) } },
        fault: value => invalidConfiguration(purpose, errors(value)),
      },
      config,
    )

const isBefore = (first: string | undefined, minor: string | undefined): boolean =>
  first !== undefined && minor !== undefined && !isFrom(first, minor)

export const each = <Item>(
  items: readonly Item[] | undefined,
  path: string,
  errors: (path: string, item: Item) => FieldError[],
) => (items ?? []).flatMap((item, at) => errors(`${path}[${at}]`, item))
