// Writes or compares a folder of generated manifests, or other generated texts, and reports the differences.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { differences, mend, writeText } from '../deploy/manifests/manifest-files.ts'
import type { ManifestFile } from '../deploy/manifests/yaml-text.ts'

const done = { 'is missing': 'is new', differs: 'is rewritten', 'is left over': 'is removed' } as const

/** A line for each file that differed. */
type Written = { readonly lines: readonly string[]; readonly differs: boolean }

/** `isCheck`: only compares. */
export const writtenManifests = (folder: string, wanted: readonly ManifestFile[], isCheck: boolean): Written => {
  const found = differences(folder, wanted)
  if (!isCheck) mend(folder, found)
  return {
    lines: found.map(({ path, fault }) => `manifests/${path} ${isCheck ? fault : done[fault]}`),
    differs: found.length > 0,
  }
}

export type GeneratedText = { readonly path: string; readonly text: string }

/** Like writtenManifests, for texts. Their paths are relative to the folder. */
export const writtenTexts = (folder: string, wanted: readonly GeneratedText[], isCheck: boolean): Written => {
  const found = wanted.filter(({ path, text }) => !isFile(join(folder, path), text))
  if (!isCheck) for (const { path, text } of found) writeText(join(folder, path), text)
  return { lines: found.map(({ path }) => `${path} ${isCheck ? 'differs' : done.differs}`), differs: found.length > 0 }
}

const isFile = (file: string, text: string): boolean => existsSync(file) && readFileSync(file, 'utf8') === text
