// Makes TAP readable for people: every test with its outcome, and all that is known about what failed. What it leaves
// out, chiefly the assertions that passed, is in the file with the full text.

const leftOut: readonly RegExp[] = [
  /^TAP version/,
  /^\s*$/,
  // Plans.
  /^\s*\d+\.\.\d+/,
  // Titles of tests, which come again with the outcome; those of files stay.
  /^\s+# Subtest: /,
  // Assertions: only tests tell how long they took, or that they were skipped.
  /^\s+ok (?!.* # )/,
]

/** The lines worth reading. */
export const readableTap = (lines: readonly string[]): string[] =>
  lines.filter(line => !leftOut.some(pattern => pattern.test(line)))
