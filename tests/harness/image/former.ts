// The image and the chart of an older commit, from which an installation is upgraded to those of this commit.
import { execFile } from 'node:child_process'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cachedFolder, platform } from '../control-plane/cache.ts'
import { buildImage } from './image.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
/** A tag or a commit. */
const variable = 'ESPALIER_UPGRADE_FROM'
const commitsBack = 40

/** The tag of the older image, which may have the same version as the image of this commit. */
export const formerTag = 'former'

/** In the folder of `formerRelease`. */
export const formerArchive = (folder: string): string => join(folder, 'espalier.tar')
export const formerChart = (folder: string): string => join(folder, 'manifests', 'helm')

/**
 * The folder with image and chart, made once per commit. The commit is that of the variable, else the last tag before this commit, else 40 commits
 * back.
 */
export const formerRelease = async (): Promise<string> => {
  const commit = await formerCommit()
  return cachedFolder(`image-of-${commit}-${platform}`, async draft => {
    process.stdout.write(`# building the image of ${commit}, from which an installation is upgraded: 1 to 2 min\n`)
    const checkout = join(draft, 'checkout')
    const packed = join(draft, 'checkout.tar')
    await git('archive', `--prefix=checkout/`, `--output=${packed}`, commit)
    await run('tar', ['--extract', `--file=${packed}`, `--directory=${draft}`])
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
    const seconds = Number(await git('log', '-1', '--format=%ct', commit))
    await buildImage({
      checkout,
      origin: { version, revision: commit, seconds },
      name: `espalier:${formerTag}`,
      archive: formerArchive(draft),
      digestFile: join(draft, 'digest'),
    })
    renameSync(join(checkout, 'manifests'), join(draft, 'manifests'))
    for (const path of [checkout, packed]) rmSync(path, { recursive: true })
  })
}

const formerCommit = async (): Promise<string> => {
  const lastTag = git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => `HEAD~${commitsBack}`)
  const from = process.env[variable] || (await lastTag)
  return git('rev-parse', '--verify', `${from}^{commit}`).catch((error: unknown) => {
    throw new Error(`there is no commit ${from}: name a tag or a commit in ${variable}`, { cause: error })
  })
}

const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: root })).stdout.trim()
