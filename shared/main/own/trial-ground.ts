// Where a trial runs: an API server in this process with the definitions and accounts of a user's folder, processes that call one function
// with its own account, and the objects that the story leaves.
import { inspect } from 'node:util'
import { type AccessRule, namesResource } from '../../api/serverless.ts'
import type { Outcome } from '../../core/decisions/outcome.ts'
import type { Log } from '../../core/log.ts'
import { type GroupVersionKind, isDeleting, type Key, type KubeObject, refOf } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { accessHere } from '../../embedded/http/without-sockets.ts'
import { startEmbeddedCluster } from '../../embedded/start.ts'
import { hostContext } from '../../http/host-context.ts'
import { createClient } from '../../kube/client/client.ts'
import type { Client } from '../../kube/client-types.ts'
import { clusters } from '../../kube/clusters/clusters.ts'
import { isNotFound, KindNotServed } from '../../kube/errors.ts'
import { type ServedKind, servedKinds } from '../../kube/served-kinds.ts'
import { reconcile } from '../../runtime/reconcile.ts'
import { functionSettingsHere } from '../function-settings.ts'
import { landscapeIn } from '../landscape.ts'
import { accountAccess } from '../start/in-process.ts'
import { install } from '../start/install.ts'
import { type Life, mortalClient } from './mortal-client.ts'
import { eventually } from './operator.ts'
import { ownInstallation } from './own-cluster.ts'
import { servedFunctions } from './own-functions.ts'
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

type Observing = {
  readonly admin: Client
  readonly access: readonly AccessRule[]
  /** The function's own kind. */
  readonly kind: GroupVersionKind
  /** The namespace of the operator. Objects in this namespace belong to its processes. */
  readonly home: string
}

/** The objects once they no longer change, because garbage collector and stand-in node work later than the function. */
export const observed = async (observing: Observing): Promise<readonly KubeObject[]> => {
  const kinds = await observedKinds(observing)
  let objects: readonly KubeObject[] = []
  let seen = ''
  let quietLooks = 0
  await eventually('the objects do not change any more', async () => {
    objects = await allOf(kinds, observing)
    const state = objects.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join()
    quietLooks = state === seen && !objects.some(isDeleting) ? quietLooks + 1 : 0
    seen = state
    return quietLooks >= quietLooksEnough
  })
  return objects
}

const quietLooksEnough = 3

/**
 * Removes objects together with their finalizers. Objects in `made` are removed whatever their kind, because the story may have created objects that
 * the function only reads.
 */
export const removeAllBut = async (
  kept: readonly KubeObject[],
  made: readonly KubeObject[],
  observing: Observing,
): Promise<void> => {
  const uids = new Set(kept.map(({ metadata }) => metadata.uid))
  const kinds = await observedKinds(observing)
  await eventually('everything that was made is removed', async () => {
    const written = (await allOf(kinds, observing)).filter(({ metadata }) => !uids.has(metadata.uid))
    const others = await Promise.all(made.map(object => ifServed(observing.admin.get(refOf(object)), undefined)))
    const left = [...written, ...others.filter(object => object !== undefined)]
    await Promise.all(left.map(object => remove(observing.admin, object)))
    return left.length === 0
  })
}

/** Returns `otherwise` if the kind is not served, because definitions that the function created are removed, too. */
const ifServed = <Answer>(asked: Promise<Answer>, otherwise: Answer): Promise<Answer> =>
  asked.catch(error => {
    if (error instanceof KindNotServed) return otherwise
    throw error
  })

const remove = async (admin: Client, object: KubeObject): Promise<void> => {
  try {
    const body = { metadata: { finalizers: null } }
    if (object.metadata.finalizers) await admin.patch(refOf(object), { type: 'merge', body }, { fieldManager: 'test' })
    await admin.delete(refOf(object), {})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const allOf = async (kinds: readonly ServedKind[], { admin, home }: Observing): Promise<readonly KubeObject[]> => {
  const lists = await Promise.all(kinds.map(({ apiVersion, kind }) => ifServed(admin.list({ apiVersion, kind }), [])))
  return lists.flat().filter(({ metadata }) => metadata.namespace !== home)
}

/** Each kind in its preferred version. Events do not count, because they are only for users. */
const observedKinds = async ({ admin, access, kind: own }: Observing): Promise<readonly ServedKind[]> => {
  const isObserved = (one: ServedKind): boolean =>
    (one.kind === own.kind && one.apiVersion === own.apiVersion) || access.some(rule => mayWrite(rule, one))
  const served = await servedKinds(admin)
  const kinds = served.filter(one => one.isListable && one.plural !== 'events' && isObserved(one))
  return kinds.filter(
    (one, at) => kinds.findIndex(({ group, kind }) => group === one.group && kind === one.kind) === at,
  )
}

const mayWrite = (rule: AccessRule, { group, plural }: ServedKind): boolean =>
  namesResource(rule, { group, resource: plural }) && rule.verbs.some(verb => !['get', 'list', 'watch'].includes(verb))
