// `espalier check --arguments-of NAME` and `espalier check -- ARGUMENT…`: what the arguments of a Go operator mean for Espalier.
import type { KubeObject } from '../../../core/objects/object.ts'
import { type GoOperator, goOperatorIn } from '../check-findings.ts'
import { type CommandResult, type Given, shownAs, UsageFault } from '../command.ts'
import { notFoundText } from '../named-object.ts'
import { type ReadingProcess, reads } from '../reading-process.ts'
import type { GoArguments } from './counterpart.ts'
import { fieldsOf, fileAt, givenIn, nextWordsOf, wordsOf } from './given.ts'
import { translationText } from './text.ts'
import { argumentTables, operatorOf, translated } from './translation.ts'

/** `of`: the name of a Deployment. Its arguments are read instead of the words. */
type Asked = Pick<Given, 'options' | 'words'> & { readonly of: string | undefined }

export const argumentsResult = async ({ options, words, of }: Asked): Promise<CommandResult> => {
  if (of !== undefined && words.length > 0) throw new UsageFault('--arguments-of and arguments exclude each other')
  const read =
    of === undefined
      ? ofWords(words)
      : await reads(options, async process => ofDeployment(await found(of, process), process))
  const all = translated(read.given, read.operator)
  return {
    text: shownAs(options.output, { operator: read.operator, arguments: all }, () =>
      translationText(read.operator, all),
    ),
    code: all.some(({ is }) => is === 'by hand' || is === 'unknown') ? 1 : 0,
  }
}

type ReadArguments = { readonly operator: GoOperator; readonly given: GoArguments }

const takesNext = nextWordsOf(Object.values(argumentTables))

const ofWords = (words: readonly string[]): ReadArguments => {
  const given = givenIn(words, takesNext)
  if (given.size === 0)
    throw new UsageFault(`expected arguments such as --log-level=1 after --, found ${words.join(' ')}`)
  return { operator: operatorOf(given), given }
}

const found = async (named: string, { local, namespace }: ReadingProcess): Promise<KubeObject> => {
  const name = named.replace(/^deploy(ment)?(\.apps)?\//, '')
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }
  const deployment = await local.get(ref)
  if (deployment) return deployment
  throw new UsageFault(notFoundText(ref))
}

const ofDeployment = async (deployment: KubeObject, { local }: ReadingProcess): Promise<ReadArguments> => {
  const given = givenIn(wordsOf(deployment), takesNext)
  const operator = goOperatorIn(deployment)?.name ?? operatorOf(given)
  const path = operator === 'gardener-operator' ? given.get('config') : undefined
  const fields = path === undefined ? [] : fieldsOf(await fileAt(path, deployment, local), argumentTables[operator])
  return { operator, given: new Map([...given, ...fields]) }
}
