import t from 'tap'
import {
  labelSelectorText,
  matchesLabels,
  parseLabelSelector,
  structuredSelector,
} from '../../../shared/core/objects/label-selector.ts'
import { throws } from '../../harness/matches.ts'

const labels = { tier: 'web', 'example.org/size': '12', old: '' }

t.test('a label selector is read from its text, or refused in the words of the API server', async t => {
  const cases: [selector: string, isMatch: boolean][] = [
    ['', true],
    ['tier=web', true],
    ['tier==web, example.org/size', true],
    ['tier!=web', false],
    ['colour!=red', true],
    ['tier in (db, web)', true],
    ['tier notin (db,web)', false],
    ['colour notin (red)', true],
    ['!colour', true],
    ['!old', false],
    ['old=', true],
    ['example.org/size>11,example.org/size<13', true],
    ['example.org/size>12', false],
    ['toString', false],
  ]
  for (const [selector, isMatch] of cases)
    t.equal(matchesLabels(parseLabelSelector(selector), labels), isMatch, selector)
  t.equal(matchesLabels(parseLabelSelector('tier'), undefined), false, 'an object without labels')
  t.equal(labelSelectorText(labels), 'tier=web,example.org/size=12,old=')
  t.equal(labelSelectorText({}), '')
})

t.test('a text that is no label selector is refused with the reason', async t => {
  const cases: [selector: string, message: string][] = [
    ['tier in web', `unable to parse requirement: found 'web' expected: '('`],
    ['tier=web,', `found '', expected: identifier after ','`],
    ['tier web', `unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt`],
    ['-tier=web', '"-tier" is not a valid label key'],
    ['tier in (web,a b)', `unable to parse requirement: found 'b', expected: ',' or ')'`],
    ['tier=a/b', '"a/b" is not a valid label value'],
  ]
  for (const [selector, message] of cases) throws(t, () => parseLabelSelector(selector), { message }, selector)
})

t.test('a selector inside an object', async t => {
  const isMatch = (selector: unknown): boolean | undefined => {
    const requirements = structuredSelector(selector)
    return requirements && matchesLabels(requirements, labels)
  }
  const expression = (operator: string, values?: string[]) => ({
    matchExpressions: [{ key: 'tier', operator, values }],
  })
  t.equal(isMatch(undefined), undefined, 'none selects nothing')
  t.equal(isMatch({}), true)
  t.equal(isMatch({ matchLabels: { tier: 'db' } }), false)
  t.equal(isMatch({ matchLabels: { tier: 'web' }, ...expression('In', ['web']) }), true)
  t.equal(isMatch(expression('NotIn', ['web'])), false)
  t.equal(isMatch(expression('Exists')), true)
  t.equal(isMatch(expression('DoesNotExist')), false)
  t.equal(isMatch(expression('Is', ['web'])), false, 'an operator that does not exist selects nothing')
  t.equal(isMatch(expression('constructor', ['web'])), false)
  const level = (operator: string, value: string) =>
    matchesLabels(structuredSelector({ matchExpressions: [{ key: 'level', operator, values: [value] }] }) ?? [], {
      level: '5',
    })
  t.strictSame([level('Gt', '4'), level('Gt', '5'), level('Lt', '6'), level('Lt', '5')], [true, false, true, false])
})
