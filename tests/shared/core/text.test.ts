// Texts for people, digests, and places that spread.
import t from 'tap'
import { evenFraction, sha256Hex } from '../../../shared/core/digest.ts'
import { excerpt, lineOf, listText, partsText, shortened, valueText } from '../../../shared/core/text/text.ts'

t.test('a list names the first ones and counts the rest', async t => {
  const many = Array.from({ length: 12 }, (_, at) => `${at}`)
  t.equal(listText(['a', 'b']), 'a, b')
  t.equal(listText(many), '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
  t.equal(listText(['a'], { count: 3 }), 'a and 2 more')
  t.equal(listText(many, { most: 2, between: '; ', rest: left => `, ${left} others` }), '0; 1, 10 others')
  t.equal(partsText(['a, b', 'c'], 2), 'a, b; c')
  t.equal(partsText(['a, b', 'c', 'd'], 2), 'a, b; c; and 1 more')
})

t.test('of a long text the beginning is told, with a sign that more is left out', async t => {
  t.equal(shortened(2, 'abc'), 'ab')
  t.equal(shortened(1, '😀'), '�', 'no half of a surrogate pair')
  t.equal(excerpt(3, 'abc'), 'abc')
  t.equal(excerpt(2, 'abc'), 'ab…')
  t.equal(lineOf('x'.repeat(80)), 'x'.repeat(80))
  t.equal(lineOf('x'.repeat(81)), `${'x'.repeat(77)}...`)
  t.equal(valueText({ a: [1] }), '{"a":[1]}')
  t.equal(valueText(undefined), 'nothing')
})

t.test('a digest is that of the bytes of a text in UTF-8', async t => {
  t.equal(sha256Hex('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  t.equal(sha256Hex(Buffer.from('é')), sha256Hex('é'))
})

t.test('texts are spread evenly from 0 up to 1, each always at the same place', async t => {
  const places = Array.from({ length: 1000 }, (_, at) => evenFraction(`uid-${at}`))
  t.equal(evenFraction('uid-7'), places[7])
  t.ok(places.every(place => place >= 0 && place < 1))
  for (let tenth = 0; tenth < 10; tenth++) {
    const count = places.filter(place => Math.floor(place * 10) === tenth).length
    t.ok(count > 60 && count < 140, `${count} of a thousand in the tenth ${tenth}`)
  }
})
