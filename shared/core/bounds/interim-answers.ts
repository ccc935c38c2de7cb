// Limits interim answers (1xx). Each of them restarts the timeout for the final answer, so a server could send them forever.

const most = 10

/** Returns a function to call for each interim answer. The function throws from the eleventh call on. */
export const interimAnswers = (excess: (message: string) => Error): (() => void) => {
  let count = 0
  return () => {
    if (++count > most) throw excess(`more than ${most} interim answers come before the answer`)
  }
}
