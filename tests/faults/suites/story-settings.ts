// The settings of functions in stories.
import { join } from 'node:path'
import type { ProcessContext } from '../../../shared/runtime/context.ts'
import { istioInstallation } from '../../make/istio/istio.ts'
import { settingsWith } from '../../make/settings.ts'

const charts = join(import.meta.dirname, '..', 'istio-charts')
const ofIstio = settingsWith({ ...istioInstallation, charts })
/** garden-reconcile has no images. */
const ofOthers = settingsWith({ images: [] })

export const storySettings: ProcessContext['settingsOf'] = definition =>
  (definition.name === 'istio' ? ofIstio : ofOthers)(definition)
