// Makes TAP readable for people: every test with its outcome, and all details of failures. The file with the full text has the rest, which is mostly
// passed assertions.

const leftOut: readonly RegExp[] = [
  /^TAP version/,
  /^\s*$/,
  // Plans.
  /^\s*\d+\.\.\d+/,
  // Titles of tests, which the outcome repeats. Titles of files stay.
  /^\s+# Subtest: /,
  // Assertions. Only tests say how long they took, or that they were skipped.
  /^\s+ok (?!.* # )/,
]

/** The lines worth reading. */
export const readableTap = (lines: readonly string[]): string[] =>
  lines.filter(line => !leftOut.some(pattern => pattern.test(line)))
