// What people are told of something that was thrown, whatever it is.
//
//   errorText(new Error('no route to host')) // 'no route to host'
//   errorText('no route to host') // 'no route to host'

/** The message of an error; of anything else its text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
