// The rows of docs/behaviour, and which tests run where because of them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRealCluster } from '../clusters/any-cluster.ts'
import { carriesOneOf, marked, type Row, rowsOf } from './rows.ts'

const root = join(import.meta.dirname, '..', '..', '..')

export const behaviourRows = (): Row[] => {
  const pages = globSync('docs/behaviour/*.md', { cwd: root }).sort()
  return rowsOf(pages.map(page => readFileSync(join(root, page), 'utf8')))
}

/** If set, the real control plane runs everything, also tests that need no proof there, and searches are as long as they may be. */
export const isThorough = process.env.ESPALIER_THOROUGH === 'yes'

const ofRealCluster = marked(behaviourRows(), 'K')

/** Whether a text, such as the name of a test, has the ID of a row that the real control plane must prove. */
export const isForRealCluster = (text: string): boolean => isThorough || carriesOneOf(text, ofRealCluster)

/** Whether a test of this name runs on the present cluster. */
export const runsHere = (name: string): boolean => !isRealCluster || isForRealCluster(name)
