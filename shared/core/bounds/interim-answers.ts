// Interim answers (1xx), which may precede the answer to a request. Each begins the wait for the next head anew, so that a server could
// send them for ever.

const most = 10

/** A function to call at each of them; from the eleventh on it throws. */
export const interimAnswers = (excess: (message: string) => Error): (() => void) => {
  let count = 0
  return () => {
    if (++count > most) throw excess(`more than ${most} interim answers come before the answer`)
  }
}
