// CEL with the libraries of Kubernetes: what expressions make of values. What compiles and what does not is recorded from the
// real API server in tests/conformance/cases/FN-66-rules.yaml.
import t from 'tap'
import { programOf } from '../../../shared/embedded/cel/program.ts'
import { celValue } from '../../../shared/embedded/cel/values.ts'
import { throws } from '../../harness/matches.ts'

const self = celValue(
  {
    name: 'a-b',
    numbers: [3, 1, 2],
    words: ['b', 'a', 'b'],
    parts: [{ key: 'a', size: 1 }, { key: 'b' }],
    sizes: { small: 1, big: 9 },
    wait: '90m',
    whole: { kind: 'Secret', metadata: { name: 'a', labels: {} }, more: 1 },
  },
  {
    type: 'object',
    properties: {
      name: { type: 'string' },
      numbers: { type: 'array', items: { type: 'integer' } },
      words: { type: 'array', items: { type: 'string' } },
      parts: {
        type: 'array',
        items: { type: 'object', properties: { key: { type: 'string' }, size: { type: 'integer' } } },
      },
      sizes: { type: 'object', additionalProperties: { type: 'integer' } },
      wait: { type: 'string', format: 'duration' },
      whole: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { more: { type: 'integer' } } },
    },
  },
)

const truths = [
  'has(self.parts[0].size) && !has(self.parts[1].size)',
  'self.parts.all(p, has(p.key))',
  'has(self.sizes.small) && !has(self.sizes.none)',
  "self.wait > duration('1h') && self.wait == duration('5400s')",
  "self.whole.metadata.name == 'a' && self.whole.kind == 'Secret' && self.whole.more == 1",
  'self.numbers.sum() == 6 && self.numbers.min() == 1 && self.numbers.max() == 3',
  'self.numbers.sort() == [1, 2, 3] && self.numbers.reverse() == [2, 1, 3] && !self.numbers.isSorted()',
  "self.words.distinct() == ['b', 'a'] && self.words.slice(1, 3) == ['a', 'b'] && self.words.lastIndexOf('b') == 2",
  '[[1], [2, 3]].flatten() == [1, 2, 3] && lists.range(3) == [0, 1, 2]',
  "self.words.first().value() == 'b' && self.words.last().orValue('') == 'b' && ![].first().hasValue()",
  'self.numbers.all(i, n, i < 3 && n > 0) && self.numbers.exists(i, n, i == 2 && n == 2)',
  "self.sizes.all(name, size, size == (name == 'big' ? 9 : 1)) && self.sizes.existsOne(name, size, size > 1)",
  'self.numbers.transformList(i, n, n * 10 + i) == [30, 11, 22]',
  'self.numbers.transformList(i, n, n > 1, i) == [0, 2]',
  "self.sizes.transformMap(name, size, size + 1) == {'small': 2, 'big': 10}",
  "self.sizes.transformMap(name, size, size > 1, size) == {'big': 9}",
  'self.parts.all(i, p, self.numbers.exists(j, n, j == i))',
  "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.2.3').compareTo(semver('1.2.3-rc.1')) == 1",
  "semver('v1.2', true).minor() == 2 && !isSemver('v1.2') && isSemver('v1.2', true) && isSemver('1.2.3-a+b')",
  'format.dns1123Label().validate(self.name) == optional.none()',
  'self.?name == optional.of("a-b") && self.?name != optional.none() && self.?none == optional.none()',
  "format.named('dns1035Label').value().validate('1a').value()[0].startsWith('a DNS-1035 label')",
  "!format.named('nonsense').hasValue() && format.uuid().validate('x').value() == ['does not match the UUID format']",
]

for (const expression of truths)
  t.test(`FN-66 CEL: ${expression}`, t => {
    t.equal(programOf(expression, false).run({ self, oldSelf: undefined }), true)
    t.end()
  })

t.test('FN-66 CEL: what a function refuses is a fault of the expression', t => {
  const run = (expression: string) => programOf(expression, false).run({ self, oldSelf: undefined })
  throws(t, () => run("semver('1.2').major() == 1"))
  throws(t, () => run('self.numbers.slice(2, 9) == []'), { message: 'cannot slice(2, 9), list is length 3' })
  throws(t, () => run('self.parts.all(i, p, p.size > 0)'))
  t.end()
})
