import fc from 'fast-check'
import t from 'tap'
import { canonicalQuantity, quantityAmount, quantityNano } from '../../../shared/core/objects/quantity.ts'

t.test('a quantity has an amount, a count of nano units and one spelling', async t => {
  const cases: [text: string, amount: number, nano: bigint, spelled: string][] = [
    ['0', 0, 0n, '0'],
    ['100m', 0.1, 100_000_000n, '100m'],
    ['0.1', 0.1, 100_000_000n, '100m'],
    ['.5', 0.5, 500_000_000n, '500m'],
    ['1.', 1, 1_000_000_000n, '1'],
    ['+2k', 2_000, 2_000_000_000_000n, '2k'],
    ['-1500', -1_500, -1_500_000_000_000n, '-1500'],
    ['1.5Gi', 1_610_612_736, 1_610_612_736_000_000_000n, '1536Mi'],
    ['1024Mi', 1_073_741_824, 1_073_741_824_000_000_000n, '1Gi'],
    ['3e6', 3_000_000, 3_000_000_000_000_000n, '3e6'],
    ['1E', 1e18, 10n ** 27n, '1E'],
    ['1E3', 1_000, 1_000_000_000_000n, '1e3'],
    ['1n', 1e-9, 1n, '1n'],
    ['1e-12', 1e-9, 1n, '1e-9'],
  ]
  for (const [text, amount, nano, spelled] of cases) {
    t.equal(quantityAmount(text), amount, text)
    t.equal(quantityNano(text), nano, `${text} in nano units`)
    t.equal(canonicalQuantity(text), spelled, `${text}, spelled`)
  }
  t.equal(quantityAmount(7), 7, 'a number is its own amount')
})

t.test('what is no quantity has none of these', async t => {
  for (const text of [
    '',
    '.',
    '-',
    'm',
    '1mi',
    '1ki',
    '1K',
    '1e',
    '1e1.5',
    '1 Gi',
    '0x1',
    '1,5',
    '１',
    '1Gi1',
    'NaN',
  ]) {
    t.equal(quantityAmount(text), undefined, text)
    t.equal(quantityNano(text), undefined, `${text} in nano units`)
    t.equal(canonicalQuantity(text), undefined, `${text}, spelled`)
  }
})

t.test('more digits than anybody means are not counted', async t => {
  t.equal(quantityAmount('9'.repeat(100)), 1e100)
  for (const text of ['9'.repeat(101), `0.${'9'.repeat(101)}`, '1e1000', '9'.repeat(5_000_000)])
    t.equal(quantityAmount(text), undefined, `${text.slice(0, 20)}…`)
})

t.test('the canonical spelling of a quantity is worth the same', async t => {
  const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2')
  const text = fc.tuple(fc.integer(), fc.constantFrom('', '.5', '.125'), suffix).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, quantity => {
      t.equal(quantityNano(canonicalQuantity(quantity) ?? ''), quantityNano(quantity), quantity)
    }),
    { numRuns: 300, seed: 1 },
  )
})
