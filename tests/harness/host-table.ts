// The settings of a host that serves all functions of Espalier.
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { hostSettings } from '../../shared/http/settings/host-settings.ts'
import { functionSettingsTable, ownDeclarations, settingsByFunction } from '../../shared/main/function-settings.ts'
import type { FunctionDefinition } from '../../shared/runtime/definition.ts'

export const hostTable = { ...hostSettings, ...functionSettingsTable(ownDeclarations, { functions: {} }) }

type Given = { readonly flags?: readonly string[]; readonly environment?: Readonly<Record<string, string>> }

/** What calls of the function get in `context.settings`, or why the host does not start. */
export const settingsOfFunction = async (
  definition: FunctionDefinition,
  { flags = [], environment = {} }: Given,
): Promise<Readonly<Record<string, unknown>>> => {
  const reading = settingsFrom(hostTable, { program: 'host', flags, environment })
  if (reading.is !== 'settings') return reading
  return (await settingsByFunction([definition], reading.settings))(definition)
}
