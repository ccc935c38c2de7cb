// A data folder contains the identity, the state and every later change of a cluster. The identity (authority, key of tokens,
// administrator's token, last port) has a separate file.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../identity/authority.ts'
import type { Store } from '../storage/store.ts'
import { contentOf, replaceFile } from './files.ts'
import { Journal, readState, type State } from './journal.ts'
import { takeFolder } from './lock.ts'

export type DataFolder = {
  readonly identity: Identity | undefined
  readonly state: State
  remember(identity: Identity): void
  follow(store: Store): void
  close(): void
}

const defaultCompactBytes = 16 * 1024 * 1024

export const openData = (folder: string, compactBytes = defaultCompactBytes): DataFolder => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = join(folder, 'lock')
  const giveBack = takeFolder(
    lock,
    pid =>
      `another process uses the data folder ${folder}: process ${pid}, named in ${lock}. Stop it or choose another folder.`,
  )
  const paths = { log: join(folder, 'log.ndjson'), snapshot: join(folder, 'snapshot.ndjson') }
  const identityPath = join(folder, 'identity.json')
  try {
    let journal: Journal | undefined
    return {
      identity: readIdentity(identityPath),
      state: readState(paths),
      remember: identity => writeIdentity(identityPath, identity),
      follow: store => {
        journal = new Journal({ ...paths, compactBytes, state: () => stateOf(store) })
        const open = journal
        store.keepJournal(change => open.add(change))
      },
      close: () => {
        journal?.close()
        giveBack()
      },
    }
  } catch (error) {
    giveBack()
    throw error
  }
}

const stateOf = (store: Store): State => ({
  revision: store.revision,
  entries: store.collectionNames().flatMap(collection => {
    const now = store.now(collection)
    return now.keys('').flatMap(key => {
      const object = now.get(key)?.object
      return object ? [{ collection, key, object }] : []
    })
  }),
})

export type Identity = {
  readonly authority: Credentials
  readonly tokenKey: string
  readonly adminToken: string
  readonly port: number
}

const readIdentity = (path: string): Identity | undefined => {
  const content = contentOf(path)
  return content && (JSON.parse(content.toString()) as Identity)
}

const writeIdentity = (path: string, identity: Identity): void =>
  replaceFile(path, [`${JSON.stringify(identity, undefined, 2)}\n`])
