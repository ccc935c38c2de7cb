// `espalier why` and `espalier tree`: why an object is not ready, with the root cause, and the parts of an object.
import { chainOf } from '../../runtime/why/chain.ts'
import { isInTrouble } from '../../runtime/why/explanation.ts'
import { type Command, type CommandResult, type Given, shownAs } from './command.ts'
import { refGiven, refuseUnread } from './named-object.ts'
import { clusterReads, reads } from './reading-process.ts'
import { chainText } from './why-text.ts'

export const whyCommand: Command = {
  name: 'why',
  usage: 'KIND NAME',
  sentence: 'Explains why an object is not ready: follows what it waits for, down to the cause.',
  options: {},
  examples: ['espalier why component shop -n shop', 'espalier why kyma basic -n kcp-system -o json'],
  run: given => explain(given, { everything: false }),
}

export const treeCommand: Command = {
  name: 'tree',
  usage: 'KIND NAME',
  sentence: 'Shows the parts of an object with their states, across clusters.',
  options: {},
  examples: ['espalier tree component shop -n shop', 'espalier tree garden garden'],
  run: given => explain(given, { everything: true }),
}

const explain = (given: Given, { everything }: { everything: boolean }): Promise<CommandResult> =>
  reads(given.options, async reading => {
    const ref = await refGiven(given, reading)
    const chain = await chainOf(ref, { reads: clusterReads(reading), now: () => new Date(), everything })
    refuseUnread(ref, chain)
    const text = shownAs(given.options.output, chain, () => chainText(chain, new Date()))
    return { text, code: isInTrouble(chain) ? 1 : 0 }
  })
