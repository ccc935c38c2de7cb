// The settings of functions in tests.
import { defaultValues, type SettingValues } from '../../shared/core/settings/setting.ts'
import type { ProcessContext } from '../../shared/runtime/context.ts'

/** These values, and otherwise the defaults, whichever function asks. */
export const settingsWith =
  (values: SettingValues): ProcessContext['settingsOf'] =>
  ({ settings = {} }) => ({ ...defaultValues(settings), ...values })
