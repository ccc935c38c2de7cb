// What the lexer makes of a text, and the signs between which actions stand.
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
