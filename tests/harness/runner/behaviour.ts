// The rows of docs/behaviour as they stand there, and which tests run where because of them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRealCluster } from '../clusters/any-cluster.ts'
import { carriesOneOf, marked, type Row, rowsOf } from './rows.ts'

const root = join(import.meta.dirname, '..', '..', '..')

export const behaviourRows = (): Row[] => {
  const pages = globSync('docs/behaviour/*.md', { cwd: root }).sort()
  return rowsOf(pages.map(page => readFileSync(join(root, page), 'utf8')))
}

/** With it the real control plane runs everything, also what it need not prove, and long searches are as long as can be. */
export const isThorough = process.env.ESPALIER_THOROUGH === 'yes'

const ofRealCluster = marked(behaviourRows(), 'K')

/** Whether a text, such as the name of a test, carries a row that the real control plane is to prove. */
export const isForRealCluster = (text: string): boolean => isThorough || carriesOneOf(text, ofRealCluster)

/** Whether a test of this name runs on the cluster at hand. */
export const runsHere = (name: string): boolean => !isRealCluster || isForRealCluster(name)
