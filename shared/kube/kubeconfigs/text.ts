// Parses the YAML of a kubeconfig in bounded time: its bytes and tokens are limited, and aliases and duplicate keys are refused.
import { Lexer, parseDocument } from 'yaml'

/** A kubeconfig has a few hundred tokens; certificates are one token each. */
const tokensMost = 5_000
const bytesMost = 256 * 1024

type ParsedYaml = { value: unknown } | { fault: string }

/** The parsed text, or why it is not read. */
export const readKubeconfigYaml = (text: string): ParsedYaml => {
  if (Buffer.byteLength(text) > bytesMost) return { fault: `is larger than ${bytesMost / 1024} KiB` }
  if (hasManyTokens(text)) return { fault: `has more than ${tokensMost} parts` }
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: false, logLevel: 'error' })
  const [error] = document.errors
  // Only the parser's error code is told: its message may quote the text.
  if (error) return { fault: `is not valid YAML (${error.code})` }
  return withoutAliases(document)
}

/** Refuses aliases: with them a short text becomes a huge value, and no tool writes them into kubeconfigs. */
const withoutAliases = (document: ReturnType<typeof parseDocument>): ParsedYaml => {
  try {
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch (error) {
    if (error instanceof ReferenceError) return { fault: 'uses YAML aliases' }
    throw error
  }
}

const hasManyTokens = (text: string): boolean => {
  let tokens = 0
  for (const _ of new Lexer().lex(text)) if (++tokens > tokensMost) return true
  return false
}
