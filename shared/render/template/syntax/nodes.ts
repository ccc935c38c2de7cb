// Tokens, the nodes that the parser makes of tokens, and the spelling of a node in error messages.
import { quote } from './literals.ts'

export type Source = { readonly name: string; readonly text: string }

type Placed = { readonly at: number }

export type NumberNode = Placed & {
  readonly is: 'number'
  readonly text: string
  /** undefined if the number is not an int64. */
  readonly int: bigint | undefined
  readonly float: number
  /** Whether the number is a float where no type is expected. The spelling decides: `1.0` is a float. */
  readonly isFloat: boolean
}

export type Expression =
  | (Placed & { readonly is: 'field'; readonly names: readonly string[] })
  | (Placed & { readonly is: 'variable'; readonly name: string; readonly names: readonly string[] })
  | (Placed & { readonly is: 'chain'; readonly start: Expression; readonly names: readonly string[] })
  | (Placed & { readonly is: 'identifier'; readonly name: string })
  | (Placed & { readonly is: 'dot' | 'nil' })
  | (Placed & { readonly is: 'bool'; readonly value: boolean })
  | (Placed & { readonly is: 'string'; readonly value: string; readonly quoted: string })
  | NumberNode
  | Pipe

export type Command = Placed & {
  readonly is: 'command'
  readonly first: Expression
  readonly args: readonly Expression[]
}

export type Pipe = Placed & {
  readonly is: 'pipe'
  readonly variables: readonly string[]
  readonly isAssignment: boolean
  readonly commands: readonly Command[]
}

export type Branch = Placed & {
  readonly is: 'if' | 'with' | 'range'
  readonly pipe: Pipe
  readonly body: readonly Statement[]
  readonly otherwise: readonly Statement[] | undefined
}

export type Statement =
  | (Placed & { readonly is: 'text'; readonly text: string })
  | (Placed & { readonly is: 'action'; readonly pipe: Pipe })
  | (Placed & { readonly is: 'template'; readonly name: string; readonly pipe: Pipe | undefined })
  | (Placed & { readonly is: 'break' | 'continue' })
  | Branch

export type Node = Expression | Command | Statement

export type Template = { readonly name: string; readonly source: Source; readonly body: readonly Statement[] }

export const isEmpty = (template: Template): boolean =>
  template.body.every(node => node.is === 'text' && node.text.trim() === '')

/** The node as Go spells it: `include "x" . | indent 4`. */
export const spelled = (node: Node): string => {
  switch (node.is) {
    case 'field':
      return node.names.map(name => `.${name}`).join('')
    case 'variable':
      return [node.name, ...node.names].join('.')
    case 'chain':
      return [inside(node.start), ...node.names].join('.')
    case 'command':
      return [node.first, ...node.args].map(inside).join(' ')
    case 'pipe':
      return `${declared(node)}${node.commands.map(spelled).join(' | ')}`
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${spelled(node.pipe)}` : ''}}}`
    case 'action':
      return `{{${spelled(node.pipe)}}}`
    default:
      return literal(node)
  }
}

const literal = (node: Node): string => {
  switch (node.is) {
    case 'string':
      return node.quoted
    case 'number':
    case 'text':
      return node.text
    case 'identifier':
      return node.name
    case 'bool':
      return String(node.value)
    case 'if':
    case 'with':
    case 'range':
      return `{{${node.is} ${spelled(node.pipe)}}}`
    default:
      return node.is === 'dot' ? '.' : node.is === 'nil' ? 'nil' : `{{${node.is}}}`
  }
}

const inside = (node: Expression): string => (node.is === 'pipe' ? `(${spelled(node)})` : spelled(node))

const declared = (pipe: Pipe): string =>
  pipe.variables.length === 0 ? '' : `${pipe.variables.join(', ')} ${pipe.isAssignment ? '=' : ':='} `

export type Delimiters = { readonly left: string; readonly right: string }

export type TokenKind =
  | 'text'
  | 'left'
  | 'right'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'open'
  | 'close'
  | 'string'
  | 'raw'
  | 'character'
  | 'number'
  | 'bool'
  | 'variable'
  | 'field'
  | 'dot'
  | 'identifier'
  | 'keyword'
  | 'sign'
  | 'end'
  | 'fault'

export type Token = { readonly kind: TokenKind; readonly at: number; readonly text: string; readonly line: number }
