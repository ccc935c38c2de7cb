// Blobs of a registry, as a host finds them in its folder: a scenario needs no registry then.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Artifacts } from '../../shared/outside/artifacts.ts'
import { placesWith } from '../harness/component/component-ground.ts'
import { digestOf } from '../make/artifact.ts'
import type { Scenario } from './scenario.ts'

const folders = new WeakMap<Scenario, string>()

/** The folder with the blobs of the scenario, which lasts as long as this process. */
export const blobFolderOf = (scenario: Scenario): string => {
  const known = folders.get(scenario)
  if (known !== undefined) return known
  const folder = mkdtempSync(join(tmpdir(), 'espalier-blobs-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const blob of scenario.blobs ?? []) writeFileSync(join(folder, digestOf(blob).replace(':', '-')), blob)
  folders.set(scenario, folder)
  return folder
}

/** Artifacts of a host that has these blobs. */
export const blobsFor = (scenario: Scenario): { artifacts: Artifacts } =>
  placesWith({ ESPALIER_BLOB_FOLDER: blobFolderOf(scenario) })
