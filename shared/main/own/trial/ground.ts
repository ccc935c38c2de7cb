// Where a story runs: an API server in this process with the definitions and accounts of a user's folder, and processes that call one
// function with its own account.
import { inspect } from 'node:util'
import type { Outcome } from '../../../core/decisions/outcome.ts'
import type { Log } from '../../../core/log.ts'
import type { Key } from '../../../core/objects/object.ts'
import { errorText } from '../../../core/text/error-text.ts'
import { accessHere } from '../../../embedded/http/without-sockets.ts'
import { startEmbeddedCluster } from '../../../embedded/start.ts'
import { hostContext } from '../../../http/host-context.ts'
import { createClient } from '../../../kube/client/client.ts'
import type { Client } from '../../../kube/client-types.ts'
import { clusters } from '../../../kube/clusters/clusters.ts'
import { reconcile } from '../../../runtime/reconcile.ts'
import { functionSettingsHere } from '../../function-settings.ts'
import { landscapeIn } from '../../landscape.ts'
import { accountAccess } from '../../start/account-access.ts'
import { install } from '../../start/install.ts'
import { ownInstallation } from '../own-cluster.ts'
import { servedFunctions } from '../own-functions.ts'
import { type Life, mortalClient } from './mortal-client.ts'
import type { Observing } from './observed.ts'
import { rendererHere } from './renderer-here.ts'

/** A process: it calls the function, and has its own caches. */
type Process = (key: Key) => Promise<Outcome>

export type Ground = Observing & {
  /** The process adds its logs and outcomes to `said`. */
  startProcess(life: Life, said: string[]): Process
  stop(): Promise<void>
}

export const groundFor = async (folder: string, name: string): Promise<Ground> => {
  const landscape = await landscapeIn(folder)
  const settings = landscape.functions[name]
  const [definition] = settings ? await servedFunctions([name], landscape, folder) : []
  if (!settings || definition?.does !== 'reconcile')
    throw new Error(`serverless.yml has no function ${name} that reconciles`)
  const settingsOf = await functionSettingsHere([definition], landscape)
  const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
  const administration = accessHere(cluster)
  const admin = createClient(administration)
  const stop = async (): Promise<void> => {
    await admin.close()
    await cluster.stop()
  }
  const { namespace, remotes } = landscape.provider
  const installed = async (): Promise<Client> => {
    await install(admin, await ownInstallation({ folder, landscape }, { withWebhooks: false }))
    return createClient(await accountAccess(administration, admin, { namespace, name }))
  }
  const own = await installed().catch(async error => {
    await stop()
    throw error
  })
  return {
    access: settings.access,
    kind: definition.kind,
    admin,
    home: namespace,
    startProcess: (life, said) => {
      const local = mortalClient(own, life)
      const given = { clusters: clusters({ local, remotes }), renderer: rendererHere, settingsOf }
      const context = hostContext(landscape, given)
      return async key => {
        const last = performance.now() + settings.timeout * 1_000
        const { signal } = new AbortController()
        const call = {
          ...context,
          lastPassAt: last,
          lastRequestAt: last,
          signal,
          now: () => new Date(),
          log: logInto(said),
        }
        const outcome = await reconcile(definition, key, call).catch(failed)
        said.push(JSON.stringify(outcome))
        return outcome
      }
    },
    stop: async () => {
      await own.close()
      await stop()
    },
  }
}

const failed = (error: unknown): Outcome => ({ outcome: 'failed', reason: errorText(error) })

const logInto = (said: string[]): Log => {
  const say = (fields: object, message: string) => void said.push(`${message} ${inspect(fields, { depth: Infinity })}`)
  return { debug: say, info: say, warn: say, error: say }
}
