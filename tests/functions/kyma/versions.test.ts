import t from 'tap'
import { versionFault } from '../../../functions/kyma/rules/listed-modules.ts'

t.test('KY-41 a lower version never follows a higher one', async t => {
  const cases: [installed: string, next: string, isAllowed: boolean][] = [
    ['1.4.2', '1.4.1', false],
    ['1.4.2', '1.4.2', true],
    ['1.4.2', '1.10.0', true],
    ['1.4.2-rc', '1.4.2', true],
    ['1.4.2', '1.4.2-rc', false],
    ['1.4.2-alpha', '1.4.2-beta', true],
    ['1.4.2+b', '1.4.2+a', true],
    ['v1.4.2', '1.4.2', true],
    ['1.4.2', '1.5.0-rc', true],
    // Beyond the vectors: the same the other way round.
    ['1.10.0', '1.9.9', false],
    ['1.4.2-beta', '1.4.2-alpha', false],
    ['1.4.2', 'v1.4.1', false],
  ]
  for (const [installed, next, isAllowed] of cases)
    t.strictSame(versionFault(installed, next), isAllowed ? undefined : { is: 'downgrade' }, `${installed} to ${next}`)
})

t.test('KY-42 what is no version cannot be compared', async t => {
  t.strictSame(versionFault('1.4.2', 'latest'), { is: 'noVersion', side: 'next' })
  t.strictSame(versionFault('', '1.4.2'), { is: 'noVersion', side: 'installed' })
})
