// Settings for charts and other artifacts, and the functions' access to them.
import type { LookupFunction } from 'node:net'
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { listShape, optional, serverAddresses, textShape } from '../../core/settings/shapes.ts'
import { AccessError } from '../../kube/errors.ts'
import { guardedLookup, hostFault, hostOf } from '../../kube/kubeconfigs/allowed-hosts.ts'
import { ArtifactError } from '../../outside/artifact-error.ts'
import { type Artifacts, artifacts } from '../../outside/artifacts.ts'

export const artifactSettings = settingsTable({
  chartRoot: {
    sentence: 'Folder that contains the charts of directory sources of components; empty: no directory sources',
    shape: optional(textShape('a path')),
  },
  registries: {
    sentence:
      'Hosts from which artifacts may be pulled; loopback, link-local and cloud metadata addresses must be listed exactly',
    shape: listShape('hosts, *.suffix or *'),
    default: '*',
  },
  plainRegistries: {
    sentence:
      'Registries that are used without TLS; insecure, because others can read credentials and change responses',
    shape: serverAddresses,
  },
  blobFolder: {
    sentence: 'Folder in which layers of modules are cached; empty: no cache',
    shape: optional(textShape('a path')),
  },
})

export const artifactsOf = (settings: SettingsOf<typeof artifactSettings>): Artifacts => {
  const allowed = settings.registries
  const hosts = {
    faultOf: (url: URL) => {
      const fault = hostFault(hostOf(url), allowed)
      return fault && `points to "${hostOf(url)}", which ${fault}`
    },
    lookupFor: (url: URL) => refusing(guardedLookup(hostOf(url), allowed)),
  }
  const { chartRoot, blobFolder } = settings
  return artifacts({ registries: { hosts, plain: settings.plainRegistries }, chartRoot, blobFolder })
}

const refusing = (lookup: LookupFunction | undefined): LookupFunction | undefined =>
  lookup &&
  ((name, options, callback) =>
    lookup(name, options, (error, ...found) =>
      callback(
        error instanceof AccessError ? new ArtifactError('refused', `"${name}": ${error.message}`) : error,
        ...found,
      ),
    ))
