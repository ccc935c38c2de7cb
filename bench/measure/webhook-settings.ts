// The settings of a host that is measured for its webhooks alone.
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { type HostSettings, hostSettings } from '../../shared/http/settings/host-settings.ts'

/** TLS comes from the folder's files; ports are whichever are free. */
export const webhookSettings = (certificateFolder: string): HostSettings => {
  const flags = ['--listen=127.0.0.1:0', '--probes-listen=', '--webhooks-listen=127.0.0.1:0', '--tls=files']
  const reading = settingsFrom(hostSettings, {
    program: 'bench',
    flags: [...flags, `--tls-directory=${certificateFolder}`],
    environment: {},
  })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}
