// What functions are told in stories.
import { join } from 'node:path'
import { defaultInstallation, type Installation } from '../../../shared/api/installation.ts'
import { istioInstallation } from '../../make/istio/istio.ts'

const charts = join(import.meta.dirname, '..', 'istio-charts')

export const storyInstallation: Installation = { ...defaultInstallation, istio: { ...istioInstallation, charts } }
