import t from 'tap'
import { BoundedCache } from '../../../shared/core/memory/bounded-cache.ts'

const keysOf = <Key, Value>(cache: BoundedCache<Key, Value>): Key[] => [...cache.entries()].map(([key]) => key)

t.test('what was longest not asked for goes first', async t => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('apple', 1)
  cache.set('pear', 2)
  t.equal(cache.get('apple'), 1)
  cache.set('plum', 3)
  t.strictSame(keysOf(cache), ['apple', 'plum'])
  t.equal(cache.get('pear'), undefined)
})

t.test('a value counts with its size, one that is set anew with its new one', async t => {
  const cache = new BoundedCache<string, string>(10, text => text.length)
  cache.set('apple', 'xxxx')
  cache.set('pear', 'xxxx')
  cache.set('apple', 'xxxxxx')
  t.strictSame(keysOf(cache), ['pear', 'apple'], 'ten are just enough')
  cache.set('plum', 'x')
  t.strictSame(keysOf(cache), ['apple', 'plum'])
  cache.delete('apple')
  cache.set('quince', 'xxxxxxxxx')
  t.strictSame(keysOf(cache), ['plum', 'quince'], 'what is deleted makes room')
})

t.test('a value larger than the cache drives nobody out', async t => {
  const cache = new BoundedCache<string, string>(3, text => text.length)
  cache.set('apple', 'xx')
  cache.set('pear', 'xxxx')
  t.strictSame(keysOf(cache), ['apple'])
  cache.set('apple', 'xxxx')
  t.strictSame(keysOf(cache), [], 'nor is the old value taken for the new one')
})
